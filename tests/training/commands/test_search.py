"""`proofmatch search`: the model's own ranking, whether vectors are computed or come from the cache."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
import torch

from proofmatch.builder.release.release import open_release
from proofmatch.builder.release.schema import SPLITS
from proofmatch.cli import main
from proofmatch.errors import ProofmatchError
from proofmatch.training import ProofMatcher, load_tokenizer
from proofmatch.training.cache import cache_folder, cached_arrays
from proofmatch.training.lexical.explanation import NamedFeature, Reason
from proofmatch.training.pairs import column_of, read_pairs
from proofmatch.training.prediction import TrainedMatcher, load_matcher
from proofmatch.training.searching.explain import Explanation
from proofmatch.training.searching.formatting import hit_to_text
from proofmatch.training.searching.query import encode_statement
from proofmatch.training.searching.searcher import Hit, Occurrence, fingerprint
from tests.training.tiny_encoder import save_tiny_encoder

STATEMENT = r"Let $p$ be a prime. Then $(p-1)! \equiv -1 \pmod p$."


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "proofmatch"


@pytest.fixture
def find(tiny_model, release, capsys):
    """Search with some options, and return the exit code, stdout and stderr."""

    def run(*arguments, model=tiny_model):
        capsys.readouterr()
        code = main(["search", str(model), "--data", str(release), *map(str, arguments)])
        return code, *capsys.readouterr()

    return run


@pytest.fixture(params=["lexical_model", "joint_model", "best_model"])
def featured(request):
    """Matchers with features, whose vectors are sparse as well as dense."""
    return request.getfixturevalue(request.param)


def hits_of(printed):
    return [json.loads(line) for line in printed.splitlines()]


@pytest.mark.parametrize("split", ["test", "all"])
def test_scores_and_order_are_those_of_the_matcher(tiny_model, release, find, split):
    opened, model = open_release(release), load_matcher(tiny_model)
    ids, proofs = [], []
    for name in SPLITS if split == "all" else [split]:
        pairs = read_pairs(opened, name, model.reader)
        proofs += [pairs.proofs[number] for number in range(len(pairs))]
        ids += opened.table("pairs", name, ["proof_id"]).column(0).to_pylist()
    with torch.inference_mode():
        statement = encode_statement(model, STATEMENT)[0]
        scores = model.matcher.eval()([statement], proofs)[0].numpy()
    expected = dict(zip(ids, scores, strict=True))
    code, out, _ = find("--json", "--split", split, "--top", 1000, STATEMENT)
    hits = hits_of(out)
    assert code == 0
    assert len(hits) == len(ids)
    assert {hit["proof_id"] for hit in hits} == set(ids)
    assert [hit["rank"] for hit in hits] == list(range(1, len(ids) + 1))
    assert np.allclose([hit["score"] for hit in hits], [expected[hit["proof_id"]] for hit in hits], atol=1e-5)
    assert [hit["score"] for hit in hits] == sorted((hit["score"] for hit in hits), reverse=True)


def test_hits_have_the_fields_of_the_release(release, find):
    opened = open_release(release)
    rows = {row["proof_id"]: row for split in SPLITS for row in opened.table("pairs", split).to_pylist()}
    _, out, _ = find(STATEMENT, "--json", "--top", 20)
    for hit in hits_of(out):
        row = rows[hit["proof_id"]]
        for name in ("article_id", "title", "kind", "statement", "proof", "source"):
            assert hit[name] == row[name]
        assert hit["others"] == hit["not_understood"] == []
        assert 0 <= hit["confidence"] <= 1


def test_the_second_search_uses_the_cache(find, cache):
    first = find(STATEMENT, "--json")
    assert "encoding proofs" in first[2]
    assert len(list(cache.glob("*.npy"))) == len(SPLITS)
    second = find(STATEMENT, "--json")
    assert "encoding proofs" not in second[2]
    assert second[:2] == first[:2]
    assert "encoding" not in find("Something else", "--split", "test")[2]


def test_similar_statements_are_found_and_cached_as_well(find, lexical_model, cache):
    first = find(STATEMENT, "--json", "--in", "statements", model=lexical_model)
    assert "encoding statements" in first[2]
    assert "encoding proofs" not in first[2]
    assert len(list(cache.glob("*.npy"))) >= len(SPLITS)
    assert find(STATEMENT, "--json", "--in", "statements", model=lexical_model) == (0, first[1], "")
    assert "prime" in hits_of(first[1])[0]["statement"]
    _, shown, _ = find(STATEMENT, "--in", "statements", model=lexical_model)
    assert shown.startswith("1. similarity 0.")


def test_a_model_without_features_refuses_statements_at_once(find, cache):
    code, out, error = find(STATEMENT, "--in", "statements")
    assert (code, out, error.count("\n")) == (2, "", 1)
    assert "take a model of the preset fast or best" in error
    assert not cache.exists()


def test_what_is_not_understood_is_named_and_macros_are_read(find, tmp_path):
    statement = r"Let $x \in \PP^n$ and ${y$."
    code, out, said = find(statement, "--split", "test", "--json")
    assert code == 0
    assert said.splitlines()[0] == r"not understood: \PP; unclosed {"
    assert hits_of(out)[0]["not_understood"] == [r"\PP", "unclosed {"]
    (tmp_path / "macros.tex").write_text(r"\newcommand{\PP}{\mathbb{P}}")
    _, _, said = find(statement, "--split", "test", "--macros", tmp_path / "macros.tex")
    assert said.splitlines()[0] == "not understood: unclosed {"
    inside = r"\newcommand{\PP}{\mathbb{P}} Let $x \in \PP^n$."
    code, out, said = find(inside, "--split", "test")
    assert (code, said) == (0, "")
    assert out == find(r" Let $x \in \mathbb{P}^n$.", "--split", "test")[1]


def test_serve_is_a_command_of_its_own(find):
    code, out, error = find("--serve")
    assert (code, out, error.count("\n")) == (2, "", 1)
    assert "proofmatch serve " in error


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04", b"\x93NUMPY\x01\x00v\x00{'descr'", "cut", "other"])
def test_a_damaged_cache_is_replaced(find, cache, damage):
    first = find(STATEMENT, "--json", "--split", "test")
    (path,) = cache.iterdir()
    whole = path.read_bytes()
    if damage == "other":
        np.save(path, np.zeros((3, 4), dtype=np.float32))
    else:
        path.write_bytes(whole[:-5] if damage == "cut" else damage)
    again = find(STATEMENT, "--json", "--split", "test")
    assert again[:2] == first[:2]
    assert "encoding proofs" in again[2]
    assert [file.read_bytes() for file in cache.iterdir()] == [whole]


def test_an_unwritable_cache_is_ignored(find, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert find(STATEMENT, "--split", "test")[0] == 0


def test_pickles_are_not_read(cache):
    cache.mkdir(parents=True)
    np.save(cache / "key.npy", np.array([[{}]], dtype=object), allow_pickle=True)
    made = (np.ones((1, 1), dtype=np.float32),)
    for _ in range(2):
        (loaded,) = cached_arrays("key", 1, lambda: made, lambda _: True)
        assert np.array_equal(loaded, made[0])
    assert np.array_equal(np.load(cache / "key.npy", allow_pickle=False), made[0])


def test_the_cache_is_where_users_expect_it(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    for ignored in ("", "relative/folder"):
        monkeypatch.setenv("XDG_CACHE_HOME", ignored)
        assert cache_folder() == tmp_path / ".cache" / "proofmatch"


def test_other_weights_have_another_cache(tiny_model):
    model = load_matcher(tiny_model)
    before = fingerprint(model)
    assert fingerprint(load_matcher(tiny_model)) == before
    with torch.no_grad():
        model.matcher.encoder.embedding.weight[7, 3] += 1e-3
    assert fingerprint(model) != before


def test_a_statement_may_come_from_a_file_or_from_standard_input(find, tmp_path, monkeypatch):
    expected = find(STATEMENT)
    (tmp_path / "statement.tex").write_text(STATEMENT, encoding="utf-8")
    assert find("--file", tmp_path / "statement.tex")[:2] == expected[:2]
    monkeypatch.setattr("sys.stdin", io.StringIO(STATEMENT))
    assert find("--file", "-")[:2] == expected[:2]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([""], "the statement is empty"),
        ([" \n"], "the statement is empty"),
        (["$ $"], "the statement has none"),
        (["x", "--file", "{folder}/latin1.tex"], "give one of them"),
        (["--file", "{folder}/latin1.tex"], "not text in UTF-8"),
        (["--file", "{folder}/nowhere.tex"], "No such file"),
        (["x", "--macros", "{folder}/nowhere.tex"], "No such file"),
        (["x", "--macros", "{folder}/latin1.tex"], "defines no macro"),
        ([r"\def\a{{\a}}\a"], "without end"),
        (["x", "--why", "--in", "statements"], "omit it with --in statements"),
    ],
)
def test_invalid_statements_are_refused_in_one_sentence(find, tmp_path, arguments, told):
    (tmp_path / "latin1.tex").write_bytes("étale".encode("latin1"))
    code, out, error = find(*(argument.format(folder=tmp_path) for argument in arguments))
    assert (code, out) == (2, "")
    assert error.count("\n") == 1
    assert told in error


def test_a_missing_statement_is_a_usage_error(find, capsys):
    with pytest.raises(SystemExit) as exit_:
        find()
    assert exit_.value.code == 2
    assert "STATEMENT" in capsys.readouterr().err


def test_no_model_is_one_sentence(release, tmp_path, capsys):
    assert main(["search", str(tmp_path / "nowhere"), "--data", str(release), STATEMENT]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "neither a folder with a matcher" in error


def test_invalid_utf8_is_accepted(find):
    assert find("Let $x\udcff$ be \udcff.")[0] == 0


def test_proofs_are_shown_in_lines_that_fit_and_in_full_if_wanted(find, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    _, short, _ = find(STATEMENT, "--top", 3)
    _, full, _ = find(STATEMENT, "--top", 3, "--full")
    starts = [line.split(" ")[:2] for line in short.splitlines() if line[:1].isdigit()]
    assert [number for number, _ in starts] == ["1.", "2.", "3."]
    assert {word for _, word in starts} <= {"likely,", "uncertain,", "unlikely,"}
    assert all(
        len(line) <= 60 or " " not in line.strip() for line in short.splitlines() if line[:4] == "    "
    )
    assert len(full) >= len(short)


def test_a_long_proof_is_cut_after_some_lines_and_says_so():
    long = "Proof. " + "\n".join(f"line {number}" for number in range(9))
    hit = Hit(1, 0.5, None, "Lemma 1. So.", long, "lemma", None, "article", "p-1")
    lines = hit_to_text(hit, 80).splitlines()
    assert lines[0] == "1. score 0.500: lemma in article, p-1"
    assert lines[1:3] == ["    Lemma 1. So.", "    Proof. line 0"]
    assert lines[3:] == [*(f"    line {number}" for number in range(1, 5)), "    line 5 …"]
    assert len(hit_to_text(hit, 80, full=True).splitlines()) == 11


def test_source_statement_proof_and_other_places_follow_in_this_order():
    others = [Occurrence(f"p-{n}", f"article {n}", None, "lemma", "Else.", f"b.xhtml#{n}") for n in range(5)]
    hit = Hit(
        1, 0.5, 0.87, "So it is.", "Clear.", "lemma", None, "article", "p-1", "a.xhtml#Thm1", tuple(others)
    )
    assert hit_to_text(hit, 80).splitlines() == [
        "1. likely, 87%; score 0.500: lemma in article, p-1",
        "    a.xhtml#Thm1",
        "    Lemma. So it is.",
        "    Proof. Clear.",
        "    The same text is in b.xhtml#0, b.xhtml#1, b.xhtml#2, 2 more.",
    ]


def test_a_math_only_model_needs_a_formula(tiny_model):
    model = load_matcher(tiny_model)
    model.matcher.config.input = "math"
    assert encode_statement(model, "where $x$ is").lengths.tolist() == [3]
    with pytest.raises(ProofmatchError, match="reads formulas"):
        encode_statement(model, "without any")


def test_invisible_operators_are_added_if_the_corpus_has_them(tiny_model):
    model = load_matcher(tiny_model)
    words = model.tokenizer.convert_ids_to_tokens(encode_statement(model, "$xy$")[0].tolist())
    assert words == ["[START]", "m:x", "m:\u2062", "m:y", "[END]"]


def test_a_pretrained_encoder_reads_the_statement_as_it_is(release, tmp_path):
    encoder = str(save_tiny_encoder(tmp_path / "encoder"))
    model = TrainedMatcher(ProofMatcher.from_encoder(encoder), load_tokenizer(encoder, typed=False))
    words = model.tokenizer.convert_ids_to_tokens(encode_statement(model, "Let a be the")[0].tolist())
    assert words == ["[CLS]", "Let", "a", "be", "the", "[SEP]"]
    assert len(model.search("Let $x$ be", release, k=3, split="test")) == 3
    with pytest.raises(ProofmatchError, match="empty"):
        model.search(" ", release)


def test_matchers_with_features_search_as_they_score(featured, release, find):
    opened = open_release(release)
    column = column_of(opened, "pairs", "test", "proof_tokens")
    model = load_matcher(featured).for_candidates(lambda: [column])
    code, out, said = find("--json", "--split", "test", "--top", 1000, STATEMENT, model=featured)
    assert code == 0
    assert "encoding proofs" in said
    proofs = model.reader.read(*column)
    scores = model.matcher.scores(encode_statement(model, STATEMENT), proofs).block(0, 1)[0]
    ids = opened.table("pairs", "test", ["proof_id"]).column(0).to_pylist()
    expected = dict(zip(ids, scores, strict=True))
    hits = hits_of(out)
    assert {hit["proof_id"] for hit in hits} == set(ids)
    assert np.allclose([hit["score"] for hit in hits], [expected[hit["proof_id"]] for hit in hits], atol=1e-5)
    assert [hit["score"] for hit in hits] == sorted((hit["score"] for hit in hits), reverse=True)
    # From the cache, and among the proofs of other splits, they have the same scores.
    assert find("--json", "--split", "test", "--top", 1000, STATEMENT, model=featured) == (0, out, "")
    everywhere = hits_of(find("--json", "--top", 1000, STATEMENT, model=featured)[1])
    again = {hit["proof_id"]: hit["score"] for hit in everywhere}
    assert all(again[hit["proof_id"]] == pytest.approx(hit["score"], abs=1e-5) for hit in hits)


def test_matchers_with_features_find_most_proofs_by_statements_as_people_type_them(featured, release):
    model, opened = load_matcher(featured), open_release(release)
    rows = opened.table("pairs", "test", ["statement", "proof_id"]).to_pylist()
    best = [model.search(row["statement"], opened, k=1, split="test", why=False)[0].proof_id for row in rows]
    assert sum(found == row["proof_id"] for found, row in zip(best, rows, strict=True)) > len(rows) / 2


@pytest.mark.parametrize("damage", ["empty", "cut", "longer", "changed", "of another split"])
def test_damaged_vectors_are_replaced(lexical_model, find, cache, damage):
    arguments = [STATEMENT, "--json", "--split", "test"]

    def newest() -> Path:
        return max(cache.iterdir(), key=lambda path: path.stat().st_mtime_ns)

    first = find(*arguments, model=lexical_model)
    path = newest()
    find(STATEMENT, "--split", "train", model=lexical_model)
    other = newest().read_bytes()
    whole = path.read_bytes()
    middle = len(whole) // 2
    path.write_bytes(
        {
            "empty": b"",
            "cut": whole[:-7],
            "longer": whole + b"1",
            "changed": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
            "of another split": other,
        }[damage]
    )
    again = find(*arguments, model=lexical_model)
    assert again[:2] == first[:2]
    assert "encoding proofs" in again[2]
    assert path.read_bytes() == whole


def test_why_explains_each_score(featured, release, find):
    arguments = ("--json", "--split", "test", STATEMENT)
    _, plain, _ = find(*arguments, model=featured)
    code, out, _ = find(*arguments, "--why", model=featured)
    assert code == 0
    opened = open_release(release).table("pairs", "test", ["proof_id", "proof_tokens"])
    proofs = dict(zip(*(opened[name].to_pylist() for name in opened.column_names), strict=True))
    for hit, same in zip(hits_of(out), hits_of(plain), strict=True):
        assert {**hit, **same} == hit
        assert sum(hit["parts"].values()) == pytest.approx(hit["score"], abs=1e-4)
        texts = hit["statement_tokens"], proofs[hit["proof_id"]]
        assert {reason["kind"] for reason in hit["reasons"]} == {"shared", "associated"}
        for reason in hit["reasons"]:
            for text, feature in zip(texts, (reason["statement"], reason["proof"]), strict=True):
                assert all(0 <= begin < end <= len(text) for begin, end in feature["spans"])
                if feature["group"] == "math-1":
                    found = {text[begin].partition(":")[2] for begin, _ in feature["spans"]}
                    assert found == {feature["surface"]}


def test_why_is_under_each_proof_in_lines_that_fit(featured, find, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    _, plain, _ = find(STATEMENT, "--top", 2, model=featured)
    _, out, _ = find(STATEMENT, "--top", 2, "--why", model=featured)
    lines = out.splitlines()
    assert [line for line in lines if line in plain.splitlines()] == plain.splitlines()
    assert sum(line.startswith("    why: shared ") for line in lines) == 2
    assert sum(line.startswith("    shared: ") for line in lines) == 2
    assert all(len(line) <= 60 or " · " not in line for line in lines if line[:4] == "    ")


def test_a_model_without_features_refuses_why_at_once(find, cache):
    code, out, error = find(STATEMENT, "--why")
    assert (code, out) == (2, "")
    assert error.count("\n") == 1
    assert "has no features to explain by; take a model of the preset fast or best" in error
    assert not cache.exists()


def test_reasons_are_shown_in_three_lines():
    tokens = ["m:f", "m::", "m:X", "m:→", "m:Y", "t:is", "t:étale"], ["t:étale", "t:and", "t:unramified"]
    etale, unramified = NamedFeature("word", "étale", [(6, 7)]), NamedFeature("word", "unramified", [(2, 3)])
    reasons = [
        Reason("shared", 2.0, etale, NamedFeature("word", "étale", [(0, 1)])),
        Reason("associated", 0.25, etale, unramified),
        Reason("associated", 0.001, NamedFeature("math-run", "f : X → Y", [(0, 5)]), unramified),
    ]
    explanation = Explanation(*tokens, 2.0, 0.25, 0.0, -0.5, reasons)
    texts = "Lemma.", "Proof."
    hit = Hit(1, 1.75, None, *texts, "lemma", None, "article", "p-1", explanation=explanation)
    assert hit_to_text(hit, 100).splitlines()[1:] == [
        "    Lemma.",
        "    Proof.",
        "    why: shared 2.00 · associated 0.25 · hubness correction -0.50",
        "    shared: étale 2.00",
        "    associated: étale ~ unramified 0.25",
    ]
