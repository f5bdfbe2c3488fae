"""The embedded sample, built: the contract of a release folder.

Pinned here: files and columns, split sizes and disjointness, opaque ids, task tables that say nothing about
the pairing, statistics that agree with the rows, a manifest that agrees with the files.
"""

import hashlib
import json
import os
import re
import subprocess
import sys

import pyarrow.parquet as pq
import pytest
from datasets import get_dataset_config_names, load_dataset

from proofmatch.builder.tokens import parse_token

CONFIGS = [
    "pairs",
    "statements",
    "proofs",
    "pairs_by_article",
    "statements_by_article",
    "proofs_by_article",
]
PAIR_COLUMNS = [
    "id",
    "statement_id",
    "proof_id",
    "article_id",
    "title",
    "categories",
    "primary_category",
    "kind",
    "statement",
    "proof",
    "statement_tokens",
    "proof_tokens",
    "source",
    "license",
]


@pytest.fixture(scope="module")
def tables(release, tmp_path_factory):
    cache = str(tmp_path_factory.mktemp("cache"))
    return {config: load_dataset(str(release), config, cache_dir=cache) for config in CONFIGS}


def test_every_configuration_opens_and_pairs_is_the_default(release, tables, tmp_path):
    assert sorted(get_dataset_config_names(str(release))) == sorted(CONFIGS)
    default = load_dataset(str(release), cache_dir=str(tmp_path))
    assert default["train"]["id"] == tables["pairs"]["train"]["id"]
    for config, splits in tables.items():
        assert list(splits) == ["train", "validation", "test"], config


OFFLINE = """
import os
import sys
from datasets import List, Value, load_dataset

release, *configs = sys.argv[1:]
for config in configs:
    plain = load_dataset(release, config)
    streamed = load_dataset(release, config, streaming=True)
    for split, dataset in plain.items():
        assert list(streamed[split]) == dataset.to_list(), (config, split)
        for name, feature in dataset.features.items():
            is_list = name.endswith("tokens") or name == "categories"
            assert feature == (List(Value("string")) if is_list else Value("string")), (config, name)
print(len(configs), flush=True)
os._exit(0)  # Arrow's threads, which streaming has begun, now and then abort an interpreter that ends
"""


def test_every_configuration_opens_offline_streamed_and_not_with_the_features_of_the_contract(
    release, tmp_path
):
    # In a process of its own, because the setting is read when the library is imported.
    opened = subprocess.run(
        [sys.executable, "-c", OFFLINE, str(release), *CONFIGS],
        env={**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert opened.returncode == 0, opened.stderr
    assert opened.stdout.strip() == str(len(CONFIGS))


def test_columns_are_those_of_the_contract(tables):
    assert tables["pairs"]["train"].column_names == PAIR_COLUMNS
    assert tables["pairs_by_article"]["train"].column_names == PAIR_COLUMNS
    assert tables["statements"]["test"].column_names == ["statement_id", "text", "tokens"]
    assert tables["proofs_by_article"]["test"].column_names == ["proof_id", "text", "tokens"]


def test_a_tenth_is_held_out_for_validation_and_another_for_test(tables):
    total = sum(len(split) for split in tables["pairs"].values())
    assert total > 100
    for config in ("pairs", "statements", "proofs"):
        assert len(tables[config]["validation"]) == len(tables[config]["test"]) == total // 10
    for config in ("pairs_by_article", "statements_by_article", "proofs_by_article"):
        assert sum(len(split) for split in tables[config].values()) == total
        assert 0 < len(tables[config]["test"]) <= total // 10


def test_splits_are_disjoint_and_by_article_also_in_articles(tables):
    ids = [set(split["id"]) for split in tables["pairs"].values()]
    assert sum(map(len, ids)) == len(set.union(*ids))
    articles = [set(split["article_id"]) for split in tables["pairs_by_article"].values()]
    assert sum(map(len, articles)) == len(set.union(*articles))


@pytest.mark.parametrize("suffix", ["", "_by_article"])
@pytest.mark.parametrize("split", ["train", "validation", "test"])
def test_task_tables_hold_exactly_the_texts_of_the_pairs(tables, suffix, split):
    pairs = tables["pairs" + suffix][split]
    for side in ("statement", "proof"):
        task = tables[f"{side}s{suffix}"][split]
        of_pairs = zip(pairs[f"{side}_id"], pairs[side], pairs[f"{side}_tokens"], strict=True)
        of_task = zip(task[f"{side}_id"], task["text"], task["tokens"], strict=True)
        assert {id_: (text, tuple(tokens)) for id_, text, tokens in of_pairs} == {
            id_: (text, tuple(tokens)) for id_, text, tokens in of_task
        }


def test_order_and_ids_of_the_task_tables_say_nothing_about_the_pairing(tables):
    pairs = tables["pairs"]["train"]
    partner = dict(zip(pairs["statement_id"], pairs["proof_id"], strict=True))
    place = {id_: number for number, id_ in enumerate(tables["proofs"]["train"]["proof_id"])}
    statements = tables["statements"]["train"]["statement_id"]
    distances = [abs(number - place[partner[id_]]) for number, id_ in enumerate(statements)]
    # Two independent orders of n rows are n/3 apart on average; equal ones are 0 apart.
    assert sum(distances) / len(distances) > len(distances) / 4
    for statement_id, proof_id in partner.items():
        assert re.fullmatch(r"s-[0-9a-f]{20}", statement_id)
        assert re.fullmatch(r"p-[0-9a-f]{20}", proof_id)
        assert statement_id[2:] != proof_id[2:]


def test_tokens_are_typed_and_survive_joining(tables):
    for row in tables["pairs"]["test"]:
        for tokens in (row["statement_tokens"], row["proof_tokens"]):
            assert " ".join(tokens).split() == tokens
            assert {parse_token(token).kind for token in tokens} <= {"t", "m"}


def test_the_french_article_and_every_short_proof_are_discarded_with_their_reason(release, tables):
    discarded = pq.read_table(release / "discarded.parquet")
    assert discarded.column_names == ["article_id", "reason", "detail"]
    rows = discarded.to_pylist()
    assert [row["article_id"] for row in rows if row["reason"] == "not-english"] == ["sample.0016"]
    assert sum(row["reason"] == "proof-too-short" for row in rows) >= 10
    kept = {id_ for split in tables["pairs"].values() for id_ in split["article_id"]}
    assert "sample.0016" not in kept
    assert len(kept) == 22


def test_statistics_agree_with_the_rows(release, tables):
    statistics = json.loads((release / "stats.json").read_text())
    rows = [row for split in tables["pairs"].values() for row in split]
    assert statistics["pairs"]["kept"] == len(rows)
    assert statistics["documents"] == {"read": 24, "with_pairs": len({row["article_id"] for row in rows})}
    categories = {row["article_id"]: row["categories"] for row in rows}
    assert statistics["categories"]["all"] == len({name for names in categories.values() for name in names})
    mean = sum(map(len, categories.values())) / len(categories)
    assert statistics["categories"]["mean_per_article"] == pytest.approx(mean)
    math = [sum(token.startswith("m") for token in row["proof_tokens"]) for row in rows]
    lengths = statistics["lengths"]["proofs"]["math"]
    assert (lengths["min"], lengths["max"]) == (min(math), max(math))
    assert lengths["mean"] == pytest.approx(sum(math) / len(math))
    assert statistics["languages_of_discarded"] == {"fr": 1}
    assert statistics["rows"]["pairs"] == {name: len(split) for name, split in tables["pairs"].items()}


def test_manifest_lists_every_parameter_and_the_hash_of_every_file(release):
    manifest = json.loads((release / "manifest.json").read_text())
    assert manifest["schema_version"] == 2
    for name in ("min_tokens", "max_tokens", "detector", "titles", "seed", "sources", "proofmatch"):
        assert name in manifest["parameters"]
    on_disk = {path.relative_to(release).as_posix() for path in release.rglob("*") if path.is_file()}
    assert on_disk == {*manifest["files"], "manifest.json"}
    for name, entry in manifest["files"].items():
        content = (release / name).read_bytes()
        assert entry == {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def test_metadata_of_the_sample_is_found_in_every_kind_of_markup(tables, articles):
    entries = json.loads((articles.parent / "catalogue.json").read_text())
    catalogue = {entry["id"]: entry for entry in entries}
    rows = {row["article_id"]: row for split in tables["pairs"].values() for row in split}
    for article_id, row in rows.items():
        entry = catalogue[article_id]
        if entry["style"].startswith("html5"):
            assert row["primary_category"] is None
        else:
            assert row["categories"] == entry["categories"]
            assert row["primary_category"] == entry["categories"][0]
        assert entry["title"] in row["title"]


def test_every_statement_of_the_sample_has_a_known_kind(tables):
    kinds = {row["kind"] for split in tables["pairs"].values() for row in split}
    assert kinds == {"theorem", "lemma", "proposition", "corollary"}
