"""The search server with 50 clients at once for a minute: its answers, their latencies, and its memory.

Each client sends the next request as soon as it has an answer, or half a second after a refusal. One CPU
cannot answer nearly as many requests, so most of them have to be refused.
"""

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from proofmatch.builder.release.release import open_release
from tests.benchmarks.measuring import measure

CLIENTS = 50
SECONDS = 60.0
BUSY = (429, 503)  # answers that tell a client to try again
PAUSE = 0.5
PROGRAM = [sys.executable, "-m", "proofmatch"]

# What is asked for, in turn: mostly as programs do, sometimes as the page does.
KINDS: list[tuple[str, dict[str, Any]]] = [
    ("proofs", {"k": 10}),
    ("proofs", {"k": 10}),
    ("statements", {"k": 10, "among": "statements"}),
    ("as the page", {"k": 5, "why": True, "shown": True}),
]


@dataclass
class Load:
    """What clients were answered."""

    statuses: Counter[int] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)  # anything but an answer, or one that is not clean
    latencies: dict[str, list[float]] = field(default_factory=dict)  # seconds by kind; refusals are one


def put_under_load(port: int, statements: list[str], *, clients: int, seconds: float) -> Load:
    """Let clients search at once until their time is over.

    Args:
        port: The port of a server on this machine.
        statements: What to search for.
        clients: The number of clients.
        seconds: How long.
    """
    load, lock, end = Load(), threading.Lock(), time.monotonic() + seconds

    def ask(client: int) -> None:
        turn = client
        while time.monotonic() < end:
            kind, fields = KINDS[turn % len(KINDS)]
            body = json.dumps({"statement": statements[turn * 31 % len(statements)], **fields}).encode()
            turn += 1
            began = time.perf_counter()
            try:
                status, fault = _search(port, body, fields["k"])
            except (OSError, http.client.HTTPException, ValueError) as error:
                status, fault = 0, f"{type(error).__name__}: {error}"
            took = time.perf_counter() - began
            with lock:
                load.statuses[status] += 1
                load.latencies.setdefault("refused" if status in BUSY else kind, []).append(took)
                if fault:
                    load.failures.append(fault)
            if status in BUSY:
                time.sleep(PAUSE)

    threads = [threading.Thread(target=ask, args=(client,)) for client in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return load


def _search(port: int, body: bytes, k: int) -> tuple[int, str | None]:
    """Send a search; return the status, and what is wrong with the answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    try:
        connection.request("POST", "/search", body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        fields = json.loads(answer.read())
    finally:
        connection.close()
    if answer.status in BUSY:
        is_clean = list(fields) == ["error"] and answer.headers["Retry-After"] is not None
        return answer.status, None if is_clean else f"not a clean refusal: {fields}"
    if answer.status != 200:
        return answer.status, f"{answer.status}: {fields}"
    return 200, None if len(fields["hits"]) == k else f"{len(fields['hits'])} hits instead of {k}"


def benchmark(workplace: Path, corpus: Path) -> dict[str, Any]:
    """Build the corpus, train a fast model, serve it, and put the server under load."""
    release, model = workplace / "release", workplace / "model"
    measure([*PROGRAM, "build", str(corpus), "--out", str(release)])
    measure([*PROGRAM, "train", "--data", str(release), "--preset", "fast", "--out", str(model)])
    return measure_server(model, release, CLIENTS, SECONDS)


def measure_server(model: Path, release: Path, clients: int, seconds: float) -> dict[str, Any]:
    """Serve a model in a process, put it under load, and watch its memory."""
    statements = open_release(str(release)).table("pairs", "test", ["statement"])["statement"].to_pylist()
    statements = [text for text in statements if len(text) < 2_000]
    with _serving(model, release) as (process, port):
        put_under_load(port, statements, clients=4, seconds=seconds / 6)  # caches fill
        before = process.memory_info().rss
        seen: list[int] = []
        with _every_second(lambda: seen.append(process.memory_info().rss)):
            load = put_under_load(port, statements, clients=clients, seconds=seconds)
        time.sleep(2)
        after = process.memory_info().rss
    return {
        "clients": clients,
        "seconds": seconds,
        "proofs": len(open_release(str(release)).table("pairs", "all", ["proof_id"])),
        "statuses": {str(status): count for status, count in sorted(load.statuses.items())},
        "failures": len(load.failures),
        "first_failures": load.failures[:5],
        "rss_mb": {
            "before": before / 2**20,
            "during": [rss / 2**20 for rss in seen[:: max(1, len(seen) // 6)]],
            "most": max(seen) / 2**20,
            "after": after / 2**20,
        },
        "latency_seconds": {
            kind: {"median": float(np.median(all_)), "p95": float(np.quantile(all_, 0.95)), "most": max(all_)}
            for kind, all_ in sorted(load.latencies.items())
        },
    }


@contextmanager
def _serving(model: Path, release: Path) -> Iterator[tuple[psutil.Process, int]]:
    command = [*PROGRAM, "serve", str(model), "--data", str(release), "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ}
    ) as process:
        try:
            line = process.stdout.readline() if process.stdout else ""
            yield psutil.Process(process.pid), int(line.split("/")[2].rpartition(":")[2])
        finally:
            process.send_signal(signal.SIGTERM)


@contextmanager
def _every_second(act: Callable[[], None]) -> Iterator[None]:
    ended = threading.Event()

    def repeat() -> None:
        while not ended.wait(1):
            act()

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def describe(found: dict[str, Any]) -> Iterator[str]:
    """Put into words what was found."""
    answers = ", ".join(f"{count:,} × {status}" for status, count in found["statuses"].items())
    yield f"{found['clients']} clients for {found['seconds']:.0f} s, {found['proofs']:,} proofs: {answers}"
    yield f"{found['failures']} failures"
    memory = found["rss_mb"]
    yield (
        f"memory: {memory['before']:.0f} MB before, at most {memory['most']:.0f} MB during, "
        f"{memory['after']:.0f} MB after"
    )
    for kind, seconds in found["latency_seconds"].items():
        yield (
            f"{kind}: median {seconds['median']:.3f} s, 95% within {seconds['p95']:.3f} s, "
            f"at most {seconds['most']:.3f} s"
        )
