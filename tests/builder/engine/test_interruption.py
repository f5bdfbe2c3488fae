"""Ctrl-C, and programs that start a build where none can run."""

import contextlib
import os
import signal
import subprocess
import sys
import time

import pytest

from tests.builder.engine.killing import copy_many_times, start_build, wait_until, workers_of


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_ends_a_build_at_once_and_the_next_one_goes_on(articles, tmp_path, times):
    source = copy_many_times(articles, tmp_path / "articles", 4)
    release = tmp_path / "release"
    build = start_build(source, release, workers=2)
    assert wait_until(lambda: any((release / ".build" / "parts").glob("*.arrow")), build)
    children = workers_of(build)
    for _ in range(times):
        for process in (build.pid, *(child.pid for child in children)):
            with contextlib.suppress(ProcessLookupError):  # gone already after the first
                os.kill(process, signal.SIGINT)
        time.sleep(0.02)
    _, messages = build.communicate(timeout=60)
    assert build.returncode == 130
    assert "interrupted" in messages
    assert "Traceback" not in messages
    assert not any(child.is_running() for child in children)
    again = start_build(source, release)
    again.communicate()
    assert again.returncode == 0


def test_a_script_without_a_main_guard_is_told_so_instead_of_hanging(articles, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import threading\n"
        "threading.Thread(target=threading.Event().wait, daemon=True).start()  # so that nothing can fork\n"
        "from proofmatch.builder import build_release\n"
        f"build_release({str(articles)!r}, {str(tmp_path / 'release')!r}, workers=1)\n"
    )
    result = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False
    )
    assert result.returncode != 0
    assert "__name__" in result.stderr
