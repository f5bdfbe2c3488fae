"""Ids are hashes of public texts with a public recipe: they must not confirm a guessed pair."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from proofmatch.builder import build_release
from proofmatch.builder.identifiers import digest, pair_id, text_id, text_key
from proofmatch.builder.published import import_published
from tests.builder.published_corpus import write_corpus

Row = dict[str, Any]
GUESSES = 60  # among which an order that says nothing has one right on average
MOST_BY_CHANCE = 6


def rows(release: Path, config: str, split: str = "*") -> list[Row]:
    paths = sorted((release / "data" / config).glob(f"{split}-*.parquet"))
    return [row for path in paths for row in pq.read_table(path).to_pylist()]


def ids_from_pairs(pair: str) -> tuple[str, str]:
    """The recipe that could be attacked: both ids are hashes of the pair's id."""
    return f"s-{digest('statement', pair, size=10)}", f"p-{digest('proof', pair, size=10)}"


def ids_from_texts(statement: str, proof: str) -> Iterator[tuple[str, str]]:
    """Ids of the two texts hashed together, in case one of them depends on the other."""
    for joined in (statement + proof, proof + statement, f"{statement}\x1f{proof}"):
        yield text_id("statement", text_key(joined)), text_id("proof", text_key(joined))


def confirmed_guesses(
    statements: Sequence[Row],
    proofs: Sequence[Row],
    articles: Sequence[str],
    hashed: Callable[[Row, Row], tuple[str, ...]],
) -> Counter[str]:
    """Try all pairs in all articles; count by statement the proofs that an id confirms."""
    confirmed: Counter[str] = Counter()
    for statement in statements:
        for proof in proofs:
            candidates = list(ids_from_texts(statement["text"], proof["text"]))
            texts = hashed(statement, proof)
            candidates += [ids_from_pairs(pair_id(article, 0, *texts)) for article in articles]
            guessed = {name for pair in candidates for name in pair}
            if guessed & {statement["statement_id"], proof["proof_id"]}:
                confirmed[statement["statement_id"]] += 1
    return confirmed


def texts(statement: Row, proof: Row) -> tuple[str, ...]:
    return statement["text"], proof["text"]


def texts_and_tokens(statement: Row, proof: Row) -> tuple[str, ...]:
    return *texts(statement, proof), " ".join(statement["tokens"]), " ".join(proof["tokens"])


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("published")
    write_corpus(folder / "files", {"train": 120, "dev": 15, "test": 15})
    return import_published(folder / "files", folder / "release", workers=1)


def test_hashing_confirms_no_pair_of_a_build(release):
    articles = sorted({row["article_id"] for row in rows(release, "pairs")})
    task = rows(release, "statements", "test"), rows(release, "proofs", "test")
    assert not confirmed_guesses(*task, articles, texts)


def test_hashing_confirms_no_pair_of_an_import(imported):
    articles = sorted({row["article_id"] for row in rows(imported, "pairs", "test")})
    task = rows(imported, "statements", "test"), rows(imported, "proofs", "test")
    assert not confirmed_guesses(*task, articles, texts_and_tokens)


def test_the_same_attack_solves_a_task_with_ids_made_from_pairs(release):
    pairs = rows(release, "pairs", "test")
    for row in pairs:
        row["statement_id"], row["proof_id"] = ids_from_pairs(row["id"])
    statements = [{"statement_id": row["statement_id"], "text": row["statement"]} for row in pairs]
    proofs = [{"proof_id": row["proof_id"], "text": row["proof"]} for row in pairs]
    articles = sorted({row["article_id"] for row in pairs})
    assert confirmed_guesses(statements, proofs, articles, texts) == dict.fromkeys(
        (row["statement_id"] for row in pairs), 1
    )


def article(statement: str, proof: str) -> str:
    return (
        '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>An article</title></head><body>'
        f'<div class="theorem"><p>{statement}</p></div><div class="proof"><p>{proof}</p></div>'
        "</body></html>"
    )


STATEMENT = "Every bounded sequence of real numbers that is monotone converges to a limit " * 2


def proof_text(number: int) -> str:
    return f"Proof number {number}. The supremum of the set of its values is the limit, and we are done, " * 2


def written(folder: Path, texts: dict[str, tuple[str, str]]) -> Path:
    folder.mkdir()
    for name, (statement, proof) in texts.items():
        (folder / f"{name}.xhtml").write_text(article(statement, proof), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def equal_statements(tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    """Pairs of as many articles, all with the same statement."""
    folder = tmp_path_factory.mktemp("equal")
    texts = {f"article.{number:03}": (STATEMENT, proof_text(number)) for number in range(GUESSES)}
    return rows(build_release(written(folder / "a", texts), folder / "release", workers=1), "pairs")


@pytest.mark.parametrize(
    "order",
    [
        pytest.param(lambda row: row["article_id"], id="article"),
        pytest.param(lambda row: row["source"], id="source"),
        pytest.param(lambda row: row["id"].partition("#")[2], id="pair"),
        pytest.param(lambda row: digest("statement", row["id"], size=10), id="hash of the pair"),
        pytest.param(lambda row: digest("split", "0", row["id"], size=16), id="split"),
        pytest.param(lambda row: row["proof"], id="proof"),
        pytest.param(lambda row: row["proof_id"], id="proof's id"),
        pytest.param(lambda row: text_key(row["proof"]), id="proof's hash"),
    ],
)
def test_the_numbers_of_equal_statements_follow_no_order_that_one_pair_decides(equal_statements, order):
    key = text_key(equal_statements[0]["statement"])
    number_of = {text_id("statement", key, number): number for number in range(GUESSES)}
    assert {row["statement_id"] for row in equal_statements} == number_of.keys()
    by_order = sorted(equal_statements, key=order)
    for guessed in (by_order, by_order[::-1]):
        right = sum(number_of[row["statement_id"]] == place for place, row in enumerate(guessed))
        assert right <= MOST_BY_CHANCE


def test_one_more_pair_numbers_equal_statements_anew(equal_statements, tmp_path):
    texts = {f"article.{number:03}": (STATEMENT, proof_text(number)) for number in range(GUESSES)}
    texts["another"] = STATEMENT.replace("Every", "Each"), proof_text(GUESSES)
    again = rows(build_release(written(tmp_path / "a", texts), tmp_path / "release", workers=1), "pairs")
    before = {row["id"]: row["statement_id"] for row in equal_statements}
    assert set(before.values()) < {row["statement_id"] for row in again}
    same = sum(before.get(row["id"]) == row["statement_id"] for row in again)
    assert same <= MOST_BY_CHANCE


STATEMENTS = [STATEMENT.replace("bounded", word) for word in ("bounded", "convex", "finite", "closed")]
TEXTS = {f"a{number}": (text, proof_text(number)) for number, text in enumerate(STATEMENTS)}


def ids_of(texts: dict[str, tuple[str, str]], folder: Path) -> dict[str, dict[str, str]]:
    """Build articles, and list the id of each text by side."""
    release = build_release(written(folder / "a", texts), folder / "release", workers=1)
    pairs = rows(release, "pairs")
    return {side: {row[side]: row[f"{side}_id"] for row in pairs} for side in ("statement", "proof")}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    return ids_of(TEXTS, tmp_path_factory.mktemp("expected"))


def test_other_proofs_leave_statement_ids(expected, tmp_path):
    others = {name: (text, proof + " Again.") for name, (text, proof) in TEXTS.items()}
    changed = ids_of(others, tmp_path)
    assert changed["statement"] == expected["statement"]
    assert not changed["proof"].keys() & expected["proof"].keys()


def test_other_statements_leave_proof_ids(expected, tmp_path):
    others = {name: (text.upper(), proof) for name, (text, proof) in TEXTS.items()}
    changed = ids_of(others, tmp_path)
    assert changed["proof"] == expected["proof"]
    assert not changed["statement"].keys() & expected["statement"].keys()


def test_other_partners_articles_and_positions_leave_all_ids(expected, tmp_path):
    statements, proofs = zip(*TEXTS.values(), strict=True)
    pairs = zip(statements, reversed(proofs), strict=True)
    assert ids_of({f"z{9 - place}": pair for place, pair in enumerate(pairs)}, tmp_path) == expected


def test_fewer_documents_leave_the_ids_of_the_others(expected, tmp_path):
    fewer = ids_of(dict(list(TEXTS.items())[:2]), tmp_path)
    assert all(fewer[side].items() < expected[side].items() for side in expected)
