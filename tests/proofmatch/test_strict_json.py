"""Untrusted JSON files are read strictly and up to a limit, from regular files only."""

import json
import os

import pytest

from proofmatch.storage import open_regular, read_limited
from proofmatch.strict_json import read_json


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"\xff\xfe",
        b'{"a": NaN}',
        b'{"a": 1e999}',
        b'{"a": "\\ud800"}',
        b'{"a": 1, "a": 2}',
        b'{"a": ' + b"9" * 5000 + b"}",
        b'{"a": ' * 65 + b"1" + b"}" * 65,
        b"[" * 100_000,
    ],
)
def test_what_is_not_strict_json_is_refused(tmp_path, content):
    (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(ValueError):
        read_json(tmp_path / "x.json")


@pytest.mark.parametrize("value", [None, [], {}, 0, "é", [{"a": [1.5, True, {"b": []}]}] * 3])
def test_what_was_written_is_read(tmp_path, value):
    (tmp_path / "x.json").write_text(json.dumps(value), encoding="utf-8")
    assert read_json(tmp_path / "x.json") == value


def test_the_deepest_file_is_64_deep(tmp_path):
    (tmp_path / "x.json").write_text("[" * 64 + "]" * 64)
    read_json(tmp_path / "x.json")


def test_a_file_of_the_largest_size_is_read_and_a_larger_one_refused(tmp_path):
    (tmp_path / "x").write_bytes(b"1234")
    assert read_limited(tmp_path / "x", 4) == b"1234"
    with pytest.raises(OSError, match="larger than"):
        read_limited(tmp_path / "x", 3)


def test_a_folder_a_pipe_and_a_device_are_not_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    for name in ("", "pipe", "link", "/dev/null"):
        with pytest.raises(OSError, match="not a regular file"):
            open_regular(tmp_path / name)
