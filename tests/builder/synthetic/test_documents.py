"""A synthetic document depends on the settings and its number, and a build makes of it what it says."""

from collections import Counter
from dataclasses import replace
from itertools import islice

import pytest

from proofmatch.builder.article import ArticleReader
from proofmatch.builder.filters import load_detector
from proofmatch.builder.reasons import Reason
from proofmatch.builder.settings import BuildSettings
from proofmatch.builder.synthetic import SyntheticSettings, synthetic_document, synthetic_documents
from proofmatch.builder.synthetic.damage import DAMAGES
from proofmatch.builder.synthetic.generations import GENERATIONS
from proofmatch.builder.synthetic.languages import LANGUAGES
from proofmatch.errors import ProofmatchError

SMALL = SyntheticSettings(documents=200, kilobytes=5, with_pairs=1.0, foreign=0.0, damaged=0.0)


@pytest.fixture(scope="module")
def reader() -> ArticleReader:
    return ArticleReader(BuildSettings(), load_detector("cld2"))


def test_a_document_is_the_same_every_time_and_whatever_came_before():
    alone = synthetic_document(SMALL, 7)
    after_others = list(islice(synthetic_documents(SMALL), 8))[7]
    assert alone == after_others
    assert alone != synthetic_document(replace(SMALL, seed=1), 7)


@pytest.mark.parametrize("generation", GENERATIONS)
def test_pairs_of_every_generation_have_the_planned_lengths(generation, reader):
    settings = replace(SMALL, generations=(generation,))
    for number in range(6):
        document = synthetic_document(settings, number)
        read = reader.read(document.data, document.name)
        planned = [pair for pair in document.pairs if pair.reason is None]
        assert read.article.id == document.article_id
        assert read.pairs_found == len(document.pairs)
        assert [(*pair.statement_length, *pair.proof_length) for pair in read.pairs] == [
            (pair.statement.text, pair.statement.math, pair.proof.text, pair.proof.math) for pair in planned
        ]
        assert Counter(discarded.reason for discarded in read.discarded) == Counter(document.dropped)


def test_fonts_mean_the_same_in_every_generation(reader):
    found = {}
    for generation in GENERATIONS:
        settings = replace(SMALL, generations=(generation,))
        read = [reader.read(d.data, d.name) for d in islice(synthetic_documents(settings), 20)]
        tokens = {token for one in read for pair in one.pairs for token in pair.proof_tokens.split()}
        found[generation] = {token for token in tokens if token.startswith("m")}
    first, *others = found.values()
    assert {"m:x", "m.bold:x", "m.double-struck:R", "m.script:A", "m.fraktur:p"} <= first
    for other in others:
        assert other == first


@pytest.mark.parametrize("language", LANGUAGES)
def test_articles_in_other_languages_are_recognised(language, reader):
    settings = replace(SMALL, with_pairs=0.0, foreign=1.0, languages=(language,))
    for document in islice(synthetic_documents(settings), 40):
        (discarded,) = reader.read(document.data, document.name).discarded
        assert (discarded.reason, discarded.detail) == (Reason.NOT_ENGLISH, language)
        assert document.reason is Reason.NOT_ENGLISH


def test_every_kind_of_damage_occurs_and_has_its_reason(reader):
    seen = set()
    for document in synthetic_documents(replace(SMALL, damaged=1.0, with_pairs=0.3)):
        (discarded,) = reader.read(document.data, document.name).discarded
        assert (discarded.article_id, discarded.reason) == (document.article_id, document.reason), (
            document.damage
        )
        assert document.kept == 0
        seen.add(document.damage)
    assert seen == set(DAMAGES)


def test_documents_without_pairs_can_have_statements_and_proofs_that_are_apart(reader):
    apart = 0
    for document in islice(synthetic_documents(replace(SMALL, with_pairs=0.0)), 30):
        (discarded,) = reader.read(document.data, document.name).discarded
        assert discarded.reason is document.reason is Reason.NO_PAIRS
        apart += b"theorem" in document.data
    assert apart


def test_articles_have_ids_of_their_own():
    names = {document.name for document in synthetic_documents(replace(SMALL, documents=500, kilobytes=1))}
    assert len(names) == 500


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"documents": 0}, "documents must be"),
        ({"damaged": 1.5}, "damaged is a share"),
        ({"with_pairs": 0.9, "foreign": 0.2}, "more than all"),
        ({"outside": 1.0}, "outside must be"),
        ({"kilobytes": 0.0}, "kilobytes must be"),
        ({"kilobytes": float("nan")}, "kilobytes must be"),
        ({"languages": ("tlh",)}, "no language 'tlh'"),
        ({"generations": ()}, "at least one markup"),
    ],
)
def test_settings_that_make_no_sense_are_refused(changes, told):
    with pytest.raises(ProofmatchError, match=told):
        SyntheticSettings(**changes)
