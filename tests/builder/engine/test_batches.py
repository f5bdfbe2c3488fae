"""Batches: where a stream of documents is cut, and how changes are noticed."""

from hypothesis import given
from hypothesis import strategies as st

from proofmatch.builder.engine.local import LARGEST_BATCH, MOST_DOCUMENTS, cut_into_batches
from proofmatch.builder.readers.documents import FileDocument, LoadedDocument

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
