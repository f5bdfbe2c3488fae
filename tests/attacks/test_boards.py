"""Result files that claim a rank or a name without having earned it, or that spoil the board for others."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proofmatch.builder.release.release import open_release
from proofmatch.cli import main
from proofmatch.evaluation.task import load_task

HONEST = ("tfidf", "dice")


@pytest.fixture(scope="session")
def honest(release, tmp_path_factory) -> Path:
    """The submissions of two honest people, with predictions."""
    folder = tmp_path_factory.mktemp("honest")
    for name in HONEST:
        path = folder / name / f"{name}.jsonl"
        path.parent.mkdir()
        assert main(["baseline", name, "--data", str(release), "--out", str(path)]) == 0
        evaluate(path, release)
    return folder


@pytest.fixture
def results(honest, tmp_path) -> Path:
    return Path(shutil.copytree(honest, tmp_path / "results"))


def evaluate(predictions: Path, release: Path, *options: str) -> Path:
    out = predictions.with_name(predictions.stem + ".result.json")
    assert main(["evaluate", str(predictions), "--data", str(release), "--out", str(out), *options]) == 0
    return out


def forged(results: Path, name: str, change: Callable[[dict[str, Any]], object]) -> Path:
    """Put a result without predictions into a folder of its own."""
    content = json.loads((results / "tfidf" / "tfidf.result.json").read_text())
    content["system"]["name"] = "evil"
    change(content)
    path = results / "evil" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def perfect(content: dict[str, Any]) -> None:
    for name in content["scores"]["ci95"]:
        content["scores"][name] = 1.0
        content["scores"]["ci95"][name] = [1.0, 1.0]


def build(results: Path, release: Path | None, site: Path) -> dict[str, Any]:
    """Make the site as documented, and return its data."""
    data = [] if release is None else ["--data", str(release)]
    assert main(["leaderboard", str(results), "--out", str(site), *data]) == 0
    return json.loads((site / "leaderboard.json").read_text())


def board_of(document: dict[str, Any], release: Path) -> dict[str, Any]:
    """Return the board of the test split of the release."""
    sha256 = open_release(release).manifest_sha256
    (board,) = [
        board
        for board in document["boards"]
        if (board["manifest_sha256"], board["config"], board["split"], board["transductive"])
        == (sha256, "pairs", "test", False)
        and board.get("verified", True)
    ]
    return board


def ranks(board: dict[str, Any]) -> dict[str, int]:
    return {row["system"]: row["rank"] for row in board["rows"] if row["rank"]}


@pytest.fixture(scope="session")
def untouched(honest, release, tmp_path_factory) -> dict[str, Any]:
    return board_of(build(honest, release, tmp_path_factory.mktemp("untouched") / "site"), release)


def newer(content: dict[str, Any]) -> None:
    perfect(content)
    content["evaluator"]["version"] = "99.0"


@pytest.mark.parametrize("change", [perfect, newer])
def test_scores_without_predictions_have_no_rank_and_take_nobodys(
    results, release, untouched, tmp_path, change
):
    forged(results, "x.result.json", change)
    board = board_of(build(results, release, tmp_path / "site"), release)
    assert ranks(board) == ranks(untouched)
    assert [row["system"] for row in board["rows"]][-1] == "evil"
    assert board["evaluator"] == untouched["evaluator"]


def test_without_a_release_nothing_has_a_rank(results, tmp_path):
    forged(results, "x.result.json", perfect)
    document = build(results, None, tmp_path / "site")
    assert not any(ranks(board) for board in document["boards"])


def test_an_invented_version_does_not_change_scores_that_can_be_computed(
    results, release, untouched, tmp_path
):
    path = results / "dice" / "dice.result.json"
    content = json.loads(path.read_text())
    newer(content)
    path.write_text(json.dumps(content))
    board = board_of(build(results, release, tmp_path / "site"), release)
    assert ranks(board) == ranks(untouched)
    assert [row["scores"]["mrr"]["value"] for row in board["rows"]] == [
        row["scores"]["mrr"]["value"] for row in untouched["rows"]
    ]


@pytest.mark.parametrize("other_hash", [False, True])
def test_an_invented_release_id_renames_no_board_and_is_on_no_page(results, release, tmp_path, other_hash):
    def rename(content: dict[str, Any]) -> None:
        content["dataset"] |= {"id": "evil/dataset", "revision": "0" * 40}
        if other_hash:
            content["dataset"]["manifest_sha256"] = "0" * 64

    for number in range(5):  # more than there are honest ones
        forged(results, f"{number}.result.json", rename)
    document = build(results, release, tmp_path / "site")
    assert board_of(document, release)["dataset"] == open_release(release).id
    assert "evil" not in (tmp_path / "site" / "submit.html").read_text()
    assert "evil" not in (tmp_path / "site" / "README.md").read_text()
    for board in document["boards"]:
        if board["dataset"] == "evil/dataset":
            assert not ranks(board)
            assert not board["verified"]
            assert document["boards"].index(board) > 0


def set_to(*places: str, value: object) -> Callable[[dict[str, Any]], None]:
    def change(content: dict[str, Any]) -> None:
        for place in places[:-1]:
            content = content[place]
        content[places[-1]] = value

    return change


BAD = {
    "size": set_to("n_statements", value=17),
    "proofs": set_to("n_proofs", value=10**9),
    "interval": set_to("scores", "ci95", "mrr", value=[1, 0]),
    "interval elsewhere": set_to("scores", "ci95", "mrr", value=[0.0, 0.1]),
    "long name": set_to("system", "name", value="x" * 10_000_000),
    "long notes": set_to("system", "notes", value="x" * 100_000),
    "long url": set_to("system", "url", value="https://example.org/" + "x" * 100_000),
    "long decoding": set_to("system", "decoding", value="x" * 100_000),
    "other site": set_to("system", "url", value="https://huggingface.co@example.org/"),
    "bell": set_to("system", "notes", value="a\x07b"),
    "right to left": set_to("system", "notes", value="a\u202eb"),
    "zero width": set_to("system", "decoding", value="a\u200bb"),
    "invisible": set_to("system", "name", value="\u3164"),
    "marks": set_to("system", "name", value="a" + 50 * "\u0301"),
    "much more": set_to("system", "more", value="x" * 100_000),
    "version": set_to("evaluator", "version", value="<b>newest</b>"),
    "digits": set_to("evaluator", "version", value="1" * 5000),
    "hash": set_to("predictions_sha256", value="x" * 64),
    "date": set_to("system", "date", value="2026-02-31"),
    "type": set_to("scores", "mrr", value="1.0"),
    "NaN": set_to("scores", "mrr", value=float("nan")),
    "infinite": set_to("system", "seconds", value=float("inf")),
    "categories": set_to(
        "by_category", value={f"x{n}": {"n": 1, "mrr": 1, "accuracy": 1} for n in range(20_000)}
    ),
}


@pytest.mark.parametrize("change", BAD.values(), ids=list(BAD))
def test_a_bad_file_is_left_out_and_named_and_changes_nothing(
    results, release, untouched, tmp_path, change, capsys
):
    forged(results, "bad.result.json", change)
    board = board_of(build(results, release, tmp_path / "site"), release)
    assert board == untouched
    assert not (tmp_path / "site" / "results" / "evil").exists()
    told = capsys.readouterr().err
    assert "evil/bad.result.json" in told
    assert len(told) < 5000
    assert main(["leaderboard", str(results / "evil"), "--check", "--data", str(release)]) == 1


def pipe(path: Path) -> None:
    os.mkfifo(path)


@pytest.mark.parametrize(
    "make",
    [
        Path.mkdir,
        pipe,
        lambda path: path.symlink_to("nowhere"),
        lambda path: path.symlink_to(path),
        lambda path: path.write_bytes(b"\xff\xfe{}"),
        lambda path: path.write_text('{"system": 1, "system": 2}'),
        lambda path: path.write_text("[" * 100_000),
        lambda path: path.write_text("1" * 10_000),
        lambda path: path.write_text(""),
        lambda path: path.write_text("null"),
    ],
    ids=["folder", "pipe", "link", "loop", "utf-16", "twice", "deep", "long", "empty", "null"],
)
def test_what_is_no_file_at_all_stops_nothing(results, release, untouched, tmp_path, make, capsys):
    (results / "evil").mkdir()
    make(results / "evil" / "bad.result.json")
    assert board_of(build(results, release, tmp_path / "site"), release) == untouched
    assert "evil/bad.result.json" in capsys.readouterr().err
    assert main(["leaderboard", str(results), "--check", "--data", str(release)]) == 1


def test_thousands_of_bad_files_are_named_in_few_lines(results, release, untouched, tmp_path, capsys):
    (results / "evil").mkdir()
    for number in range(2000):
        (results / "evil" / f"{number}.result.json").write_text("{}")
    assert board_of(build(results, release, tmp_path / "site"), release) == untouched
    assert "2,000" in (told := capsys.readouterr().err)
    assert told.count("\n") < 50


def test_a_bad_prediction_file_stops_nothing(results, release, untouched, tmp_path):
    forged(results, "x.result.json", perfect)
    (results / "evil" / "x.jsonl").write_text("{")
    assert board_of(build(results, release, tmp_path / "site"), release) == untouched


def submitted(results: Path, release: Path, folder: str, name: str, **fields: object) -> Path:
    """Submit the predictions of tfidf once more, with another description."""
    path = results / folder / "x.jsonl"
    path.parent.mkdir()
    shutil.copy(results / "tfidf" / "tfidf.jsonl", path)
    sidecar = {"name": name, "input": "both", "decoding": "local", **fields}
    (path.parent / "x.jsonl.system.json").write_text(json.dumps(sidecar), encoding="utf-8")
    evaluate(path, release)
    return path


@pytest.mark.parametrize("name", ["tfidf ", " tfidf", "tf\u0456df", "Tfidf", "TF-IDF", "\uff54fidf", "other"])
def test_copies_and_look_alikes_are_pointed_out(results, release, tmp_path, name, capsys):
    submitted(results, release, "evil", name)
    board = board_of(build(results, release, tmp_path / "site"), release)
    told = capsys.readouterr().err
    for row in board["rows"]:
        if row["system"] != "dice":
            assert "same predictions" in " ".join(row["remarks"])
    assert "same predictions" in told
    assert "same predictions" in (tmp_path / "site" / "index.html").read_text()
    same_name = [row for row in board["rows"] if row["system"] == "tfidf"]
    if name.strip() in ("tfidf", "\uff54fidf"):
        assert sorted(row["origin"] for row in same_name) == ["evil/x.result.json", "tfidf/tfidf.result.json"]


@pytest.mark.parametrize("name", ["tf\u0456df", "Tfidf"])
def test_look_alikes_with_other_predictions_are_pointed_out(results, release, tmp_path, name):
    path = submitted(results, release, "evil", name)
    shutil.copy(results / "dice" / "dice.jsonl", path)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows = [{**row, "proof_ids": row["proof_ids"][::-1], "scores": None} for row in rows]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    evaluate(path, release)
    board = board_of(build(results, release, tmp_path / "site"), release)
    remarks = {row["system"]: " ".join(row["remarks"]) for row in board["rows"]}
    assert "name" in remarks["tfidf"]
    assert "name" in remarks[name]
    assert not remarks["dice"]


def test_the_same_first_choices_in_another_order_of_lines_are_pointed_out(results, release, tmp_path):
    path = submitted(results, release, "evil", "quite another")
    lines = path.read_text().splitlines()
    path.write_text("\n".join(reversed(lines)) + "\n")
    evaluate(path, release)
    board = board_of(build(results, release, tmp_path / "site"), release)
    remarks = {row["system"]: " ".join(row["remarks"]) for row in board["rows"]}
    assert "same first choices as “tfidf”" in remarks["quite another"]


def test_nobody_adds_a_score_to_the_row_of_another(results, release, untouched, tmp_path):
    path = results / "evil" / "x.jsonl"
    path.parent.mkdir()
    assert main(["baseline", "tfidf", "--data", str(release), "--decode", "global", "--out", str(path)]) == 0
    evaluate(path, release)
    board = board_of(build(results, release, tmp_path / "site"), release)
    row = next(row for row in board["rows"] if row["rank"] and row["system"] == "tfidf")
    assert row["scores"] == next(row for row in untouched["rows"] if row["system"] == "tfidf")["scores"]


@pytest.mark.parametrize("changed", [0, 1, 5])
@pytest.mark.parametrize("longer", [False, True])
def test_a_matching_does_not_pass_as_a_ranking(release, tmp_path, changed, longer, capsys):
    task = load_task(open_release(release), "train")
    chosen = np.asarray(task.gold).copy()
    n = len(chosen)
    chosen[:40] = np.roll(chosen[:40], 1)  # one-to-one, and 40 of them wrong
    chosen[:changed] = chosen[n - 1]  # a few changes against discovery
    path = tmp_path / "results" / "evil" / "x.jsonl"
    path.parent.mkdir(parents=True)
    with path.open("w") as file:
        for statement, proof in zip(task.statement_ids, chosen, strict=True):
            others = [task.proof_ids[(proof + 1) % n]] if longer else []
            row = {"statement_id": statement, "proof_ids": [task.proof_ids[proof], *others]}
            file.write(json.dumps(row) + "\n")
    sidecar = {"name": "evil", "input": "both", "decoding": "local"}
    path.with_name("x.jsonl.system.json").write_text(json.dumps(sidecar))
    evaluate(path, release, "--split", "train")
    assert "a matching" in capsys.readouterr().out
    document = build(tmp_path / "results", release, tmp_path / "site")
    (row,) = document["boards"][0]["rows"]
    assert row["scores"].keys() == {"one_to_one"}
    assert row["rank"] is None
    assert "local" in row["scores"]["one_to_one"]["remark"]
    report = tmp_path / "report.html"
    options = ["--data", str(release), "--split", "train", "--out", str(report)]
    assert main(["report", str(path), *options]) == 0
    assert "a matching" in report.read_text()


def test_claims_are_marked_as_claims(results, release, tmp_path, capsys):
    path = submitted(results, release, "evil", "evil", input="math", transductive=True)
    build(results, release, tmp_path / "site")
    page = (tmp_path / "site" / "index.html").read_text()
    assert "transductive (claimed)" in page
    assert "input (claimed)" in page
    capsys.readouterr()
    evaluate(path, release)
    shown = capsys.readouterr().out
    assert "transductive, as claimed" in shown
    assert "claimed, not checked: input math" in shown
    report = tmp_path / "report.html"
    assert main(["report", str(path), "--data", str(release), "--out", str(report)]) == 0
    assert "input (claimed): math" in report.read_text()


def test_a_sealed_release_is_ranked_by_the_maintainers_gold_alone(release, tmp_path, capsys):
    public, gold, results = tmp_path / "public", tmp_path / "gold.jsonl", tmp_path / "results"
    assert main(["seal", str(release), "--out", str(public), "--gold", str(gold)]) == 0
    path = results / "tfidf" / "x.jsonl"
    path.parent.mkdir(parents=True)
    assert main(["baseline", "tfidf", "--data", str(public), "--out", str(path)]) == 0
    evaluate(path, public, "--gold", str(gold))
    site = ["leaderboard", str(results), "--out", str(tmp_path / "site"), "--data", str(public)]
    assert main(site) == 2
    assert "--gold" in capsys.readouterr().err
    assert main([*site, "--gold", str(gold)]) == 0
    board = json.loads((tmp_path / "site" / "leaderboard.json").read_text())["boards"][0]
    assert ranks(board) == {"tfidf": 1}
    check = ["leaderboard", str(results), "--check", "--data", str(public), "--gold", str(gold)]
    assert main(check) == 0
    assert main([*check, "--gold", str(gold)]) == 2  # one of them is for no release
    assert main(["leaderboard", str(results), "--check", "--data", str(release), "--gold", str(gold)]) == 2
    for file in (tmp_path / "site").rglob("*"):
        assert file.is_dir() or gold.read_bytes()[:60] not in file.read_bytes()
