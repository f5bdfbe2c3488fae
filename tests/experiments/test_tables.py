"""Our tables: rendered from result lines, which a rerun replaces one system at a time."""

import json
from itertools import product

import pytest

from experiments import systems
from experiments.run import run_baselines, run_models, run_transfer
from experiments.store import EXPERIMENTS, Store
from experiments.tables import (
    claims_table,
    front_table,
    results_table,
    symbols_table,
    transductive_table,
    update_between_marks,
    write_pages,
)
from proofmatch.builder import build_release
from proofmatch.builder.release.release import open_release
from proofmatch.builder.sample import sample_articles
from proofmatch.cli import main
from proofmatch.errors import ProofmatchError
from proofmatch.evaluation import evaluate
from proofmatch.evaluation.baselines import BASELINES
from proofmatch.evaluation.leaderboard import make_leaderboard
from proofmatch.training.settings import load_settings

SINKHORN = {"method": "sinkhorn", "temperature": 0.05, "rounds": 20}


def result(name="tfidf", decoding="local", mrr=0.5, config="pairs", input="both", **system) -> dict:
    """The parts of a result that tables show."""
    intervals = {"mrr": [mrr - 0.1, mrr + 0.1], "accuracy": [0.2, 0.4]}
    return {
        "system": {"name": name, "input": input, "decoding": decoding, **system},
        "dataset": {"config": config},
        "scores": {"mrr": mrr, "accuracy": 0.3, "ci95": intervals},
    }


@pytest.fixture
def store(tmp_path) -> Store:
    return Store("release", tmp_path / "results")


def test_a_line_has_all_decodings_of_a_system_and_its_training_time():
    table = results_table(
        [result(decoding="exact"), result("b", config="pairs_by_article"), result(training_seconds=90.0)]
    )
    _, _, first, second = table.splitlines()
    assert first == (
        "| mixed | tfidf | both | 50.0 (40.0–60.0) | 30.0 (20.0–40.0) | – | 30.0 (20.0–40.0) | 1.5 |"
    )
    assert second == "| by article | b | both | 50.0 (40.0–60.0) | 30.0 (20.0–40.0) | – | – | – |"


def test_lines_are_sorted_by_split_system_and_input():
    results = [result("b", config="pairs_by_article"), result("b", input="math"), result("b"), result("a")]
    _, _, *lines = results_table(results).splitlines()
    assert [line.split(" | ")[:3] for line in lines] == [
        ["| mixed", "a", "both"],
        ["| mixed", "b", "both"],
        ["| mixed", "b", "math"],
        ["| by article", "b", "both"],
    ]


def test_systems_on_renamed_symbols_are_shown_if_every_renaming_has_them():
    table = symbols_table({"unchanged": [result("a"), result("b")], "full": [result("b", mrr=0.25)]})
    head, _, line = table.splitlines()
    assert head == "| split | system | input | unchanged | full |"
    assert line == "| mixed | b | both | 50.0 (40.0–60.0) · – | 25.0 (15.0–35.0) · – |"


def test_claims_are_laid_out_by_training_with_every_seed(store):
    for seed, mrr in enumerate((0.5, 0.6)):
        for decoding in ("local", "global"):
            store.replace_results(
                "claims/test", f"hybrid-{decoding}-{seed}", [result("hybrid", decoding, mrr, input="math")]
            )
    head, _, *lines = claims_table(store).splitlines()
    assert head == "| split | input | hybrid: MRR | hybrid: accuracy | hybrid: one-to-one |"
    assert lines[-1] == "| test | math | 55.0 (50.0, 60.0) | 30.0 (30.0, 30.0) | 30.0 (30.0, 30.0) |"


def test_every_claim_is_trained_with_every_input_and_seed():
    claims = systems.read_claims()
    assert len(claims) == 18
    assert {(system["input"], system["preset"]) for system in claims.values()} == set(
        product(("both", "text", "math"), ("paper-local", "paper-global"))
    )
    for system in claims.values():
        assert load_settings(system["preset"], system["set"]).training["optimizer"] == "adamw"


def test_plain_and_transductive_rankings_are_never_in_one_table():
    plain = [result(), result(decoding="global")]
    transductive = [result(transductive=True, normalization=SINKHORN), result(transductive=True)]
    assert results_table([*transductive, *plain]) == results_table(plain)
    assert transductive_table(plain).count("\n") == 2
    _, _, *lines = transductive_table([*plain, *transductive]).splitlines()
    assert lines == [
        f"| mixed | tfidf | both | {normalization} | 50.0 (40.0–60.0) | 30.0 (20.0–40.0) |"
        for normalization in ("sinkhorn, temperature 0.05, 20 rounds", "–")
    ]


def test_a_page_without_a_place_for_the_table_is_refused_with_the_remedy(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("nothing")
    with pytest.raises(ProofmatchError, match=r"page\.md .*<!-- results -->"):
        update_between_marks(page, "results", "table")
    assert page.read_text() == "nothing"


def test_a_rerun_replaces_the_lines_of_its_system_and_nothing_else(store, tmp_path):
    store.replace_results("main", "b", [result("b"), result("b", "global")])
    store.replace_results("main", "a", [result("a")])
    store.replace_results("main", "a", [result("a", config="pairs_by_article")])
    store.replace_results("validation", "a", [result("a", mrr=0.7)])
    path = tmp_path / "results" / "release.jsonl"
    before = path.read_text().splitlines()
    assert [json.loads(line)["name"] for line in before] == ["a", "b", "b", "a", "a"]
    store.replace_results("main", "b", [result("b", mrr=0.9)])
    after = path.read_text().splitlines()
    assert set(before) - set(after) == set(before[1:3])
    assert len(after) == len(before) - 1
    assert [found["scores"]["mrr"] for found in store.results("main")] == [0.5, 0.9, 0.5]
    assert [file.name for file in path.parent.iterdir()] == ["release.jsonl"]


def test_the_order_of_runs_does_not_change_the_file(store, tmp_path):
    runs = [("main", "a", [result("a"), result("a", "exact")]), ("ablation", "c", [result("c")])]
    other = Store("other", tmp_path / "results")
    for group, name, results in runs:
        store.replace_results(group, name, results)
    for group, name, results in reversed(runs):
        other.replace_results(group, name, results[::-1])
    one, two = (tmp_path / "results" / f"{name}.jsonl" for name in ("release", "other"))
    assert one.read_bytes() == two.read_bytes()


def test_histories_are_kept_by_system(store):
    store.replace_history("b", [{"loss": 1.0}])
    store.replace_history("a", [{"loss": 2.0}])
    store.replace_history("b", [{"loss": 3.0}])
    assert store.histories() == {"a": [{"loss": 2.0}], "b": [{"loss": 3.0}]}


def test_pages_are_rendered_from_the_results(tmp_path):
    experiments = tmp_path / "experiments"
    experiments.mkdir()
    store, other = (Store(name, experiments / "results") for name in ("stacks", "open"))
    places = ("results", "validation", "parts", "transductive", "symbols", "transfer", "open", "both")
    places += ("works", "categories", "claims")
    marks = "\n".join(f"<!-- {place} -->\nold\n<!-- end of {place} -->" for place in places)
    for page in (tmp_path / "README.md", experiments / "README.md"):
        page.write_text(f"before\n{marks}\nafter\n")
    (experiments / "models.toml").write_text("[quick]\n[quick-by-article]\nby_article = true\n[once]\n")
    store.replace_results("main", "fast-both", [result("fast")])
    store.replace_results("ablation", "fast-less", [result("fast, less")])
    other.replace_results(
        "transfer", "fast-both", [{**result("fast", mrr=0.7), "n_proofs": 2_551, "by_category": {}}]
    )
    evaluations = [{"epoch": epoch, "step": epoch, "eval_mrr": 0.1 * epoch} for epoch in (1, 2)]
    for name in ("quick", "quick-by-article"):
        store.replace_history(name, evaluations)
    store.replace_history("once", evaluations[:1])
    table = write_pages(experiments)
    front = (tmp_path / "README.md").read_text()
    assert front_table(store, other) in front
    assert "| fast | MRR | 50.0 | – | – | 70.0 |" in front
    assert table in (experiments / "README.md").read_text()
    text = (experiments / "README.md").read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "old" not in text
    assert text.count("| mixed | fast, less |") == 1
    assert "| stacks → open | fast | 2,551 | 70.0 (60.0–80.0) | 30.0 (20.0–40.0) | – |" in text
    curves = (experiments / "learning-curves.svg").read_text()
    assert "quick" in curves
    assert "once" not in curves
    assert "by-article" not in curves


def test_the_readme_has_the_stored_results():
    text = (EXPERIMENTS.parent / "README.md").read_text(encoding="utf-8")
    table = front_table(Store("stacks"), Store("open"))
    assert f"<!-- results -->\n{table}<!-- end of results -->" in text, "run `make results`, which renders it"


def test_our_results_make_a_leaderboard(tmp_path):
    Store("stacks").write_files(tmp_path / "results")
    made = make_leaderboard(tmp_path / "results", tmp_path / "site")
    assert made.n_results == sum(1 for _ in (EXPERIMENTS / "results" / "stacks.jsonl").open())
    assert len({board.slug for board in made.boards}) == len(made.boards)
    assert made.boards[0].dataset == "stacks"


def test_systems_are_trained_and_evaluated_on_validation_and_test(release, tmp_path, monkeypatch):
    tiny = {"system": "tiny", "preset": "fast", "input": "both", "set": ["rank=0", "num_train_epochs=1"]}
    monkeypatch.setattr(systems, "read_systems", lambda _: {"tiny-both": tiny})
    store = Store("release", tmp_path / "results")
    run_models(open_release(release), store, tmp_path / "models")
    for group, split in (("main", "test"), ("validation", "validation")):
        results = store.results(group)
        assert [found["system"]["decoding"] for found in results] == ["exact", "global", "local"]
        assert {found["dataset"]["split"] for found in results} == {split}
    assert "tiny-both" in store.histories()
    assert all("training_seconds" in found["system"] for found in store.results("main"))


def test_systems_are_evaluated_on_all_pairs_of_another_release(tmp_path, monkeypatch):
    tiny = {"system": "tiny", "preset": "fast", "input": "both", "set": ["rank=0", "num_train_epochs=1"]}
    monkeypatch.setattr(systems, "read_systems", lambda _: {"tiny": tiny})
    articles = sample_articles()
    trained, other = (
        open_release(build_release(str(articles / f"sample.000{some}.*"), tmp_path / name, workers=1))
        for name, some in (("trained", "[1-5]"), ("other", "[6-9]"))
    )
    stores = {name: Store(name, tmp_path / "results") for name in ("trained", "other")}
    run_models(trained, stores["trained"], tmp_path / "models")
    with pytest.raises(ProofmatchError, match="seen"):
        run_transfer(trained, stores["trained"], tmp_path / "models", ["tiny"])
    run_transfer(other, stores["other"], tmp_path / "models", ["tiny"])
    results = stores["other"].results("transfer")
    assert {found["dataset"]["split"] for found in results} == {"all"}
    assert {found["system"]["name"] for found in results} == {"tiny", *BASELINES}


def test_baselines_have_the_scores_of_the_evaluator(release, tmp_path):
    store, opened = Store("release", tmp_path / "results"), open_release(release)
    run_baselines(opened, store)
    assert len(store.results("main")) == len(BASELINES) * 2 * 3 * 3
    predictions = tmp_path / "tfidf.jsonl"
    assert main(["baseline", "tfidf", "--data", str(release), "--out", str(predictions)]) == 0
    expected = json.loads(json.dumps(evaluate(predictions, opened).as_dict()))
    assert expected in store.results("main")
