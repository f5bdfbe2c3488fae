"""The local engine: batches, and documents that take too long, raise, or kill their worker."""

import os
import signal
import time
from dataclasses import dataclass
from hashlib import pbkdf2_hmac
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.builder.engine.local import (
    LARGEST_BATCH,
    MOST_DOCUMENTS,
    cut_into_batches,
    local_pool,
    run_batches,
)
from proofmatch.builder.engine.run_folder import RunFolder
from proofmatch.builder.pair_parts import is_complete, read_columns, read_discarded
from proofmatch.builder.readers.documents import FileDocument, LoadedDocument
from proofmatch.builder.settings import BuildSettings

sizes = st.lists(st.integers(0, 8 << 20), max_size=60)


def documents(sizes_of_documents):
    return [FileDocument(f"{n}.xhtml", size, f"{n}:{size}", "") for n, size in enumerate(sizes_of_documents)]


@given(sizes)
def test_every_document_is_in_exactly_one_batch_and_the_order_is_kept(sizes_of_documents):
    given_documents = documents(sizes_of_documents)
    batches = list(cut_into_batches(given_documents))
    assert [document for batch in batches for document in batch.documents] == given_documents
    assert [batch.index for batch in batches] == list(range(len(batches)))


@given(sizes)
def test_a_batch_exceeds_its_limit_by_less_than_its_last_document(sizes_of_documents):
    for batch in cut_into_batches(documents(sizes_of_documents)):
        assert sum(document.size for document in batch.documents[:-1]) < LARGEST_BATCH
        assert len(batch.documents) <= MOST_DOCUMENTS


def test_batches_grow_with_the_corpus_up_to_a_limit():
    big = [FileDocument(str(n), 1 << 20, str(n), "") for n in range(2000)]
    totals = [sum(document.size for document in batch.documents) for batch in cut_into_batches(big)]
    assert totals[0] < totals[-2] == LARGEST_BATCH


def test_a_changed_document_changes_the_name_of_the_part():
    first, second = ([LoadedDocument("a.xhtml", data)] for data in (b"one", b"two"))
    names = {batch.part_name for batch in (*cut_into_batches(first), *cut_into_batches(second))}
    assert len(names) == 2


@dataclass(frozen=True)
class Troublemaker:
    """A document that does something else than being read."""

    name: str = "trouble.xhtml"
    size: int = 1
    stamp: str = "trouble"

    def read(self) -> bytes:
        raise NotImplementedError


class Endless(Troublemaker):
    def read(self) -> bytes:
        while True:
            pass


class EndlessOutsidePython(Troublemaker):
    def read(self) -> bytes:
        return pbkdf2_hmac("sha256", b"", b"", 2_000_000_000)


class Deadly(Troublemaker):
    def read(self) -> bytes:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("survived")


class Faulty(Troublemaker):
    def read(self) -> bytes:
        raise AttributeError("a fault in the program")


def outcome(documents, tmp_path: Path, workers: int = 2, **settings) -> tuple[set[str], dict[str, str]]:
    """Run documents through the engine: articles with pairs, and reasons by article."""
    run = RunFolder(tmp_path / "release", is_complete)
    chosen = BuildSettings(**settings)
    with run.opened({}), local_pool(run, chosen, workers) as pool:
        list(run_batches(cut_into_batches(documents), run, chosen, pool))
        parts = run.finished_parts()
        kept = {id_ for part in parts for id_ in read_columns(part, {"article_id"})["article_id"].to_pylist()}
        rows = [row for part in parts for row in read_discarded(part).to_pylist()]
    return kept, {row["article_id"]: row["reason"] for row in rows}


@pytest.fixture
def good(articles) -> list[LoadedDocument]:
    names = ["sample.0001.xhtml", "sample.0003.xhtml"]
    return [LoadedDocument(name, (articles / name).read_bytes()) for name in names]


@pytest.mark.parametrize(
    ("trouble", "reason"),
    [(Endless, "timeout"), (EndlessOutsidePython, "crashed"), (Deadly, "crashed"), (Faulty, "crashed")],
)
def test_trouble_costs_the_document_and_nothing_else(good, tmp_path, trouble, reason):
    documents = [good[0], trouble(), good[1]]
    kept, discarded = outcome(documents, tmp_path, document_seconds=0.5)
    assert kept == {"sample.0001", "sample.0003"}
    assert discarded["trouble"] == reason


def test_the_time_limit_counts_processor_time_so_that_waiting_is_allowed(good, tmp_path):
    # A document behind a slow line: the wait is longer than the limit.
    kept, discarded = outcome([WaitingDocument(good[0].data)], tmp_path, document_seconds=0.5)
    assert kept == {"sample.0001"}
    assert "timeout" not in discarded.values()


@dataclass(frozen=True)
class WaitingDocument:
    data: bytes
    name: str = "sample.0001.xhtml"
    stamp: str = "waiting"

    @property
    def size(self) -> int:
        return len(self.data)

    def read(self) -> bytes:
        time.sleep(1)
        return self.data
