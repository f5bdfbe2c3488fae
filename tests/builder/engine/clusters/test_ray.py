"""The Ray engine on a real cluster on this machine: the same bytes, whichever process is killed.

Ray's processes get a separate home folder with a separate token, and leave the user's alone.
"""

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from proofmatch.builder import build_release
from tests.builder.engine.killing import copy_many_times, kill, wait_until
from tests.builder.engine.test_determinism import content

pytest.importorskip("ray", reason="needs the extra `distributed`")
pytest.importorskip("datatrove", reason="needs the extra `distributed`")

RANK = "proofmatch.builder.engine.clusters.rank"
LAUNCHER = "proofmatch.builder.engine.clusters.ray"


@pytest.fixture(scope="module")
def environment() -> Iterator[dict[str, str]]:
    home = tempfile.mkdtemp(prefix="pm", dir="/tmp")  # the paths of sockets must be short
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    yield {**kept, "HOME": home, "RAY_TMPDIR": home, "RAY_USAGE_STATS_ENABLED": "0"}
    shutil.rmtree(home, ignore_errors=True)


def free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


@pytest.fixture(scope="module")
def cluster(environment) -> Iterator[tuple[str, dict[str, str]]]:
    """A running cluster: its address, and the environment of its users."""
    ray, port = str(Path(sys.executable).parent / "ray"), free_port()
    environment = {**environment, "RAY_AUTH_MODE": "token"}
    subprocess.run([ray, "get-auth-token", "--generate"], env=environment, capture_output=True, check=True)
    words = ["--node-ip-address=127.0.0.1", "--num-cpus=2", "--include-dashboard=false"]
    ports = [f"--port={port}", f"--ray-client-server-port={free_port()}"]
    log = Path(environment["HOME"], "log")
    with log.open("w") as output:
        head = subprocess.Popen(
            [ray, "start", "--head", "--block", *ports, *words],
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    assert wait_until(lambda: "Ray runtime started" in log.read_text(), head), log.read_text()
    processes = psutil.Process(head.pid).children(recursive=True)
    yield f"127.0.0.1:{port}", environment
    head.send_signal(signal.SIGTERM)
    head.wait(60)
    for process in psutil.wait_procs(processes, timeout=10)[1]:
        process.kill()


@pytest.fixture(scope="module")
def source(articles, tmp_path_factory) -> Path:
    return copy_many_times(articles, tmp_path_factory.mktemp("ray") / "articles", 8)


@pytest.fixture(scope="module")
def expected(source, tmp_path_factory) -> dict[str, str]:
    return content(build_release(source, tmp_path_factory.mktemp("local") / "release", workers=2))


def start(source: Path, release: Path, environment: dict[str, str], *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "proofmatch", "build", str(source), "--out", str(release)]
    return subprocess.Popen(
        [*command, "--engine", "ray", "--mem-per-cpu", "1", *words],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # as in `start_build`
    )


def has_parts(release: Path) -> bool:
    return any((release / ".build" / "parts").glob("*.arrow"))


def processes_of(release: Path, module: str) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or []
        if module in words and str(release) in words:
            found.append(process)
    return found


def is_alive(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return process.status() != psutil.STATUS_ZOMBIE  # dead, but its parent has not looked yet
    return False


def test_without_a_cluster_one_is_started_and_leaves_nobody_behind(source, expected, environment, tmp_path):
    build = start(source, tmp_path / "release", environment, "--workers", "2", "--ray-address", "local")
    _, messages = build.communicate(timeout=300)
    assert build.returncode == 0, messages
    assert content(tmp_path / "release") == expected
    lines = messages.strip().splitlines()
    assert all(re.match("(planning|reading articles|writing tables): ", line) for line in lines), messages
    home = environment["HOME"]
    assert not [p for p in psutil.process_iter(["cmdline"]) if home in " ".join(p.info["cmdline"] or [])]


def ranks_of(release: Path) -> list[psutil.Process]:
    """Find the ranks, without their workers: Ray's worker → the child that datatrove makes → the rank."""
    found = []
    for process in processes_of(release, RANK):
        with contextlib.suppress(psutil.Error):
            if all("ray::" in " ".join(parent.cmdline()) for parent in process.parents()[:2]):
                found.append(process)
    return found


def test_killed_workers_of_ray_are_replaced(source, expected, cluster, tmp_path):
    address, environment = cluster
    release = tmp_path / "release"
    build = start(source, release, environment, "--ray-address", address, "--tasks", "4")
    assert wait_until(lambda: len(ranks_of(release)) == 2, build)
    one, other = ranks_of(release)
    for victim in (one.parents()[0], other.parents()[1]):  # a child that Ray waits for, and one of Ray's own
        kill(victim.pid)
    _, messages = build.communicate(timeout=300)
    assert build.returncode == 0, messages
    assert content(release) == expected
    assert "restarting" not in messages


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_driver_takes_its_tasks_along_and_the_next_one_goes_on(source, expected, cluster, tmp_path, number):
    address, environment = cluster
    release = tmp_path / "release"
    build = start(source, release, environment, "--ray-address", address, "--tasks", "2")
    assert wait_until(lambda: has_parts(release), build)
    left = [*processes_of(release, RANK), *processes_of(release, LAUNCHER)]
    build.send_signal(number)
    _, messages = build.communicate()
    psutil.wait_procs(left, timeout=60)
    assert not [process for process in left if is_alive(process)]
    if number == signal.SIGINT:
        assert build.returncode == 130
        assert messages.endswith("proofmatch build: interrupted; run the same command again\n")
        return  # the next one is the same
    before = {path: path.stat().st_mtime_ns for path in (release / ".build" / "parts").glob("*.arrow")}
    again = start(source, release, environment, "--ray-address", address, "--tasks", "3", "--workers", "1")
    seen = {}
    while again.poll() is None:
        now = {path: path.stat().st_mtime_ns for path in before if path.exists()}
        seen = now or seen
        time.sleep(0.1)
    assert again.returncode == 0, again.stderr.read()
    assert seen.items() <= before.items()  # what was done is not done again
    assert content(release) == expected


def test_no_cluster_at_the_address_is_one_sentence(articles, environment, tmp_path):
    build = start(articles, tmp_path / "release", environment, "--ray-address", f"127.0.0.1:{free_port()}")
    _, messages = build.communicate(timeout=120)
    assert build.returncode == 2
    assert "no Ray cluster answers" in messages
    assert messages.count("\n") == 1
    assert not (tmp_path / "release").exists()


def test_a_task_that_fits_on_no_machine_is_refused(articles, cluster, tmp_path):
    address, environment = cluster
    words = ("--ray-address", address, "--cpus-per-task", "9")
    build = start(articles, tmp_path / "release", environment, *words)
    _, messages = build.communicate(timeout=120)
    assert build.returncode == 2
    assert "no machine of the Ray cluster has 9 CPUs for a task; lower --cpus-per-task" in messages


@pytest.mark.corpus
def test_a_real_corpus_gives_the_bytes_of_the_local_engine(corpus, cluster, tmp_path):
    address, environment = cluster
    source = corpus / "html5.tar.xz"
    build = start(source, tmp_path / "ray", environment, "--ray-address", address, "--tasks", "3")
    _, messages = build.communicate(timeout=600)
    assert build.returncode == 0, messages
    assert content(tmp_path / "ray") == content(build_release(source, tmp_path / "local"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
@pytest.mark.parametrize(("owner", "is_ours"), [(0, True), (65534, False)])
def test_a_cluster_that_somebody_else_has_noted_on_this_machine_is_not_joined(
    tmp_path, monkeypatch, owner, is_ours
):
    from proofmatch.builder.engine.clusters.ray import _has_own_cluster

    note = tmp_path / "ray" / "ray_current_cluster"
    note.parent.mkdir()
    note.write_text("192.0.2.2:6379")
    os.chown(note, owner, owner)
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    assert _has_own_cluster() is is_ours
