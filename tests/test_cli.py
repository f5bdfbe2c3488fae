"""The command line: help, exit codes, one sentence for every failure."""

import json
import shlex
import subprocess
import sys

import pytest

from proofmatch import __version__
from proofmatch.cli import COMMANDS, main


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "proofmatch", *arguments], capture_output=True, text=True, check=False
    )


def test_help_lists_every_command_without_loading_any(capsys):
    with pytest.raises(SystemExit) as exit_:
        main(["--help"])
    assert exit_.value.code == 0
    shown = capsys.readouterr().out
    for command, (_, summary) in COMMANDS.items():
        assert command in shown
        assert summary in shown


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_has_an_example(command, capsys):
    with pytest.raises(SystemExit) as exit_:
        main([command, "--help"])
    assert exit_.value.code == 0
    assert f"proofmatch {command}" in capsys.readouterr().out.split("example:")[1]


def test_what_a_terminal_would_obey_is_shown_as_what_it_is(tmp_path, capsys):
    assert main(["stats", str(tmp_path / "a\x1b[2Jb\u202ec\r")]) == 2
    said = capsys.readouterr().err
    assert "a\\x1b[2Jb\\u202ec\\r" in said
    assert said.rstrip("\n").isprintable()


def test_version(capsys):
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"proofmatch {__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["build", "--out", "x"],
        ["build", "x", "--out", "y", "--engine", "abacus"],
        ["build", "x", "--out", "y", "--detector", "crystal-ball"],
        ["build", "x", "--out", "y", "--min-tokens", "many"],
    ],
)
def test_bad_usage_exits_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as exit_:
        main(arguments)
    assert exit_.value.code == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("typed", "told"),
    [("evalute", "did you mean evaluate?"), ("predictions", "did you mean predict?"), ("xyzzy", "--help")],
)
def test_an_unknown_command_gets_a_suggestion(typed, told, capsys):
    assert main([typed, "x.jsonl", "--data", "train"]) == 2
    said = capsys.readouterr().err
    assert told in said
    assert typed in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--min-tokens", "30", "--max-tokens", "20"], "min_tokens (30)"),
        (["--workers", "0"], "workers must be at least 1"),
        (["--document-seconds", "0"], "must be positive"),
    ],
)
def test_settings_that_make_no_sense_are_one_sentence(articles, tmp_path, options, told):
    result = run("build", str(articles), "--out", str(tmp_path / "release"), *options)
    assert result.returncode == 2
    assert told in result.stderr
    assert result.stderr.count("\n") == 1


def test_stats_of_something_else_is_one_sentence(tmp_path):
    result = run("stats", str(tmp_path))
    assert result.returncode == 2
    assert "not a complete release" in result.stderr
    assert result.stderr.count("\n") == 1


def test_stats_prints_both_tables(release):
    result = run("stats", str(release))
    assert result.returncode == 0
    for row in ("Number of documents read", "(primary) categories", "Text+math", "Math proportion", "± "):
        assert row in result.stdout
    assert "math.AG Algebraic Geometry" in result.stdout


def test_a_reader_that_leaves_early_is_no_failure(release):
    command = f"{sys.executable} -m proofmatch stats {release} | head -1"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert result.stderr == ""


def test_the_demo_shows_one_table_and_ends_with_commands_that_work(tmp_path):
    result = run("demo", "--out", str(tmp_path / "demo"))
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""  # neither progress nor warnings of libraries
    rows = [
        line.split() for line in result.stdout.splitlines() if line.startswith(("TF-IDF", "BM25", "fast"))
    ]
    assert [row[0] for row in rows] == ["TF-IDF", "BM25", "fast"]
    for row in rows:
        mrr, *others = map(float, row[1:])
        scores = json.loads((tmp_path / "demo" / f"{row[0].lower()}-local.result.json").read_text())["scores"]
        assert mrr == round(100 * scores["mrr"], 1)
        assert len(others) == 3
    assert "wrong matches" in (tmp_path / "demo" / "report.html").read_text(encoding="utf-8")
    commands = [
        shlex.split(line.partition("proofmatch ")[2], comments=True)
        for line in result.stdout.splitlines()[-3:]
    ]
    assert [command[0] for command in commands] == ["search", "evaluate", "import"]
    for command in commands[:2]:  # the last one downloads
        done = run(*command)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("name", "content"), [("stats.json", "{}"), ("stats.json", "[]"), ("stats.json", "?")]
)
def test_damaged_statistics_are_one_sentence(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    result = run("stats", str(tmp_path))
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("content", ["{}", "?", "[1]"])
def test_a_foreign_manifest_is_one_sentence(articles, tmp_path, content):
    (tmp_path / "manifest.json").write_text(content)
    result = run("build", str(articles), "--out", str(tmp_path))
    assert result.returncode == 2
    assert "not the manifest of a release" in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("seconds", ["nan", "inf", "1e12", "-1"])
def test_a_time_limit_must_be_one(articles, tmp_path, seconds):
    result = run("build", str(articles), "--out", str(tmp_path / "r"), f"--document-seconds={seconds}")
    assert result.returncode == 2
    assert "document_seconds" in result.stderr


def test_a_file_cannot_be_the_release(articles, tmp_path):
    (tmp_path / "file").write_text("")
    result = run("build", str(articles), "--out", str(tmp_path / "file"))
    assert result.returncode == 2
    assert "is a file" in result.stderr


def test_defaults_are_told_even_if_they_are_zero_but_not_those_of_switches(capsys):
    with pytest.raises(SystemExit):
        main(["build", "--help"])
    assert "salt of the splits (default: 0)" in " ".join(capsys.readouterr().out.split())
    with pytest.raises(SystemExit):
        main(["push", "--help"])
    assert "default: False" not in capsys.readouterr().out


@pytest.mark.parametrize("command", ["build", "import_published", "make_variant"])
def test_commands_with_workers_load_numpy_only_after_its_threads_are_limited(command):
    """With OpenBLAS's threads, workers would be spawned, not forked."""
    script = f"import sys, proofmatch.builder.commands.{command}; print('numpy' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout == "False\n"
