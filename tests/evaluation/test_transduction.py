"""A ranking that uses the other statements says so everywhere, and is kept apart from others."""

import json

import pytest

from proofmatch.cli import main
from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.result import result_faults
from proofmatch.evaluation.system import System, normalization_in_words, read_system

SINKHORN = {"method": "sinkhorn", "temperature": 0.05, "rounds": 20}


def baseline(release, out, *options) -> int:
    return main(["baseline", "tfidf", "--data", str(release), "--out", str(out), *options])


def evaluated(release, predictions, *options) -> dict:
    out = predictions.with_name("result.json")
    assert main(["evaluate", str(predictions), "--data", str(release), "--out", str(out), *options]) == 0
    result = json.loads(out.read_text(encoding="utf-8"))
    assert result_faults(result) == []
    return result


@pytest.fixture
def plain(release, tmp_path):
    assert baseline(release, tmp_path / "plain.jsonl") == 0
    return tmp_path / "plain.jsonl"


@pytest.fixture
def normalized(release, tmp_path):
    options = ("--normalize", "sinkhorn", "--temperature", "0.05")
    assert baseline(release, tmp_path / "normalized.jsonl", *options) == 0
    return tmp_path / "normalized.jsonl"


def sidecar(predictions) -> dict:
    return json.loads(predictions.with_name(f"{predictions.name}.system.json").read_text(encoding="utf-8"))


def test_a_normalised_ranking_is_better_on_the_sample_and_says_what_it_is(release, plain, normalized):
    assert sidecar(normalized) == sidecar(plain) | {"transductive": True, "normalization": SINKHORN}
    before, after = evaluated(release, plain), evaluated(release, normalized)
    assert after["system"] == sidecar(normalized)
    assert after["scores"]["mrr"] > before["scores"]["mrr"]


@pytest.mark.parametrize("decoding", ["local", "global", "exact"])
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["sinkhorn", "--rounds", "3"], {"method": "sinkhorn", "temperature": 1.0, "rounds": 3}),
        (["dual-softmax", "--temperature", "2"], {"method": "dual-softmax", "temperature": 2.0}),
    ],
)
def test_every_decoding_takes_every_normalisation(release, tmp_path, decoding, options, expected):
    out = tmp_path / "x.parquet"
    assert baseline(release, out, "--decode", decoding, "--normalize", *options) == 0
    system = evaluated(release, out)["system"]
    assert (system["transductive"], system["normalization"]) == (True, expected)
    assert system["decoding"] == decoding


def test_exact_matchings_are_the_same_with_and_without(release, tmp_path):
    firsts = []
    for method in ("none", "sinkhorn", "dual-softmax"):
        assert baseline(release, tmp_path / "x.jsonl", "--decode", "exact", "--normalize", method) == 0
        rows = map(json.loads, (tmp_path / "x.jsonl").read_text(encoding="utf-8").splitlines())
        firsts.append({row["statement_id"]: row["proof_ids"] for row in rows})
    assert firsts[0] == firsts[1] == firsts[2]


def test_no_normalisation_is_a_plain_ranking(release, tmp_path, plain):
    assert baseline(release, tmp_path / "none.jsonl", "--normalize", "none") == 0
    assert (tmp_path / "none.jsonl").read_bytes() == plain.read_bytes()
    assert sidecar(tmp_path / "none.jsonl") == sidecar(plain)
    assert set(sidecar(plain)) == {"name", "input", "decoding", "trained_on", "details"}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--temperature", "0.1"], "--normalize"),
        (["--temperature", "1", "--normalize", "none"], "--normalize"),
        (["--rounds", "20"], "--normalize sinkhorn"),
        (["--rounds", "3", "--normalize", "dual-softmax"], "--normalize sinkhorn"),
    ],
)
def test_options_without_effect_are_one_sentence(release, tmp_path, capsys, options, told):
    assert baseline(release, tmp_path / "x.jsonl", *options) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert told in error
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "options",
    [
        ["--normalize", "softmax"],
        ["--normalize", "sinkhorn", "--rounds=0"],
        ["--normalize", "sinkhorn", "--rounds=1.5"],
        *(["--normalize", "sinkhorn", f"--temperature={text}"] for text in ("0", "-1", "nan", "inf", "hot")),
    ],
)
def test_values_that_cannot_be_are_refused(release, tmp_path, options):
    with pytest.raises(SystemExit) as exit_:
        baseline(release, tmp_path / "x.jsonl", *options)
    assert exit_.value.code == 2


def test_evaluation_says_that_a_ranking_is_transductive(release, plain, normalized, capsys):
    capsys.readouterr()
    evaluated(release, normalized)
    shown = capsys.readouterr().out
    assert "transductive (sinkhorn, temperature 0.05, 20 rounds)" in shown
    assert "uses the other statements of the split" in shown
    evaluated(release, plain)
    assert "transductive" not in capsys.readouterr().out


def test_a_comparison_of_unlike_rankings_warns_and_one_of_like_does_not(release, plain, normalized, capsys):
    warning = "not directly comparable"
    for one, other, unlike in (
        (normalized, plain, True),
        (plain, normalized, True),
        (plain, plain, False),
        (normalized, normalized, False),
    ):
        capsys.readouterr()
        evaluated(release, one, "--against", str(other))
        shown = capsys.readouterr().out
        assert (warning in shown) == unlike
    evaluated(release, plain, "--against", str(normalized))
    assert f"{normalized} is transductive and tfidf is not" in capsys.readouterr().out


def test_matching_keeps_the_mark(normalized, tmp_path):
    assert main(["match", str(normalized), "--out", str(tmp_path / "y.jsonl")]) == 0
    system = read_system(tmp_path / "y.jsonl")
    assert (system.transductive, system.normalization, system.decoding) == (True, SINKHORN, "global")


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"transductive": "yes"}, "true or false"),
        ({"transductive": None}, "true or false"),
        ({"normalization": SINKHORN}, "makes it transductive"),
        ({"transductive": False, "normalization": SINKHORN}, "makes it transductive"),
        ({"transductive": True, "normalization": "sinkhorn"}, "must be an object"),
        ({"transductive": True, "normalization": {}}, "method"),
        ({"transductive": True, "normalization": {"method": "a\nb"}}, "method"),
        ({"transductive": True, "normalization": SINKHORN | {"temperature": 0}}, "temperature"),
        ({"transductive": True, "normalization": SINKHORN | {"temperature": 10**400}}, "temperature"),
        ({"transductive": True, "normalization": SINKHORN | {"temperature": None}}, "temperature"),
        ({"transductive": True, "normalization": SINKHORN | {"rounds": 2.5}}, "rounds"),
        ({"transductive": True, "normalization": SINKHORN | {"rounds": True}}, "rounds"),
    ],
)
def test_a_sidecar_that_is_not_as_it_should_be_is_refused(plain, release, capsys, fields, told):
    path = plain.with_name("plain.jsonl.system.json")
    path.write_text(json.dumps(fields), encoding="utf-8")
    capsys.readouterr()
    assert main(["evaluate", str(plain), "--data", str(release)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert path.name in error
    assert told in error


def test_systems_of_others_may_be_transductive_in_their_own_way(plain, release, capsys):
    path = plain.with_name("plain.jsonl.system.json")
    path.write_text(json.dumps({"name": "CSLS", "transductive": True}), encoding="utf-8")
    assert evaluated(release, plain)["system"] == {"name": "CSLS", "transductive": True}
    assert "\ntransductive, as claimed: " in capsys.readouterr().out
    path.write_text(json.dumps({"name": "plain", "transductive": False}), encoding="utf-8")
    assert evaluated(release, plain)["system"] == {"name": "plain"}


def test_the_schema_refuses_a_normalisation_that_would_pass_for_a_plain_ranking(release, normalized):
    result = evaluated(release, normalized)
    del result["system"]["transductive"]
    assert any("'transductive'" in fault for fault in result_faults(result))


def test_words_name_the_method_and_its_settings():
    assert normalization_in_words(SINKHORN) == "sinkhorn, temperature 0.05, 20 rounds"
    assert normalization_in_words({"method": "sinkhorn", "rounds": 1}) == "sinkhorn, 1 round"
    assert normalization_in_words({"method": "dual-softmax", "temperature": 1.0}) == (
        "dual-softmax, temperature 1"
    )
    assert normalization_in_words(None) == "–"


def test_a_normalised_system_in_python_says_that_it_is_transductive():
    with pytest.raises(ProofmatchError, match="transductive"):
        System("x", normalization=SINKHORN)
    assert System("x", transductive=True).as_dict() == {"name": "x", "transductive": True}
