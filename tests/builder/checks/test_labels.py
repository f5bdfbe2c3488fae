"""A label is a leak if the proof names it and it tells the statements of a split apart."""

import re
from itertools import count

import pytest

from proofmatch.builder import build_release
from proofmatch.builder.checks import check_release
from proofmatch.builder.release.release import open_release

from .planting import EditedRelease


def leaks(release, tmp_path, label_of):
    """Label all statements, in proofs as well; count the leaks in each table, and return a message."""
    edited = EditedRelease(release, tmp_path / "release")
    numbers = {}

    def put(row):
        label = label_of(numbers.setdefault(row["id"], len(numbers)))
        row["statement"], row["proof"] = f"{label}. Let $x$ be.", f"Proof of {label}. Clear."

    edited.edit_pairs(put)
    outcome = next(one for one in check_release(edited.folder).outcomes if one.check == "labels")
    sizes = {split: len(edited.rows("pairs", split)) for split in ("train", "validation", "test")}
    found = {}
    for remark in outcome.remarks:
        config, split = re.match(r"(\w+) (\w+):", remark.message).groups()
        assert "100.0% of the statements have a label, and 100.0% of the proofs name it" in remark.message
        found[config, split] = remark.count / sizes[split]
    assert len(found) == 6
    return found


def test_a_label_of_one_statement_is_a_leak(release, tmp_path):
    assert set(leaks(release, tmp_path, lambda number: f"Theorem {number}").values()) == {1.0}


def test_a_label_of_all_statements_is_none(release, tmp_path):
    assert set(leaks(release, tmp_path, lambda _: "Lemma 1").values()) == {0.0}


def test_a_label_that_many_statements_share_is_none_and_a_rare_one_is(release, tmp_path):
    # One statement in forty is Theorem 1; the others are Lemma 1.
    found = leaks(release, tmp_path, lambda number: "Theorem 1" if number % 40 == 0 else "Lemma 1")
    assert all(share < 0.2 for share in found.values())
    assert 0 < found["pairs", "train"] < 0.05


@pytest.mark.parametrize("by", ["proof", "statement"])
def test_a_label_that_the_proof_does_not_name_is_none(release, tmp_path, by):
    edited, numbers = EditedRelease(release, tmp_path / "release"), count()
    edited.edit_pairs(lambda row: row.update({by: f"Theorem {next(numbers)}. Clear.", "kind": "theorem"}))
    outcome = next(one for one in check_release(edited.folder).outcomes if one.check == "labels")
    assert [remark.count for remark in outcome.remarks] == [0] * 6


@pytest.mark.parametrize(("label", "leaking"), [("Lemma 1", 0), ("Lemma {number}", 40)])
def test_the_statistics_of_a_build_count_the_same_leaks(tmp_path, label, leaking):
    for number in range(40):
        own = label.format(number=number)
        (tmp_path / f"{number}.html").write_text(
            f"""<!DOCTYPE html><html><body><div class="ltx_theorem ltx_theorem_lemma">
            <h6 class="ltx_title">{own}.</h6><p>Every word {number} is long.</p></div>
            <div class="ltx_proof"><h6 class="ltx_title">Proof of {own}.</h6><p>It is {number}.</p></div>
            </body></html>"""
        )
    out = tmp_path / "release"
    build_release(str(tmp_path / "*.html"), out, workers=1, min_tokens=1, detector="none")
    statistics = open_release(out).statistics
    assert statistics["labels"] == {"labelled": 40, "named_in_proof": 40, "leaking": leaking}
    assert f"For {leaking}" in (out / "README.md").read_text(encoding="utf-8")
    outcome = next(one for one in check_release(out).outcomes if one.check == "labels")
    counts = {remark.message.partition(":")[0]: remark.count for remark in outcome.remarks}
    assert sum(count for place, count in counts.items() if place.startswith("pairs ")) == leaking
