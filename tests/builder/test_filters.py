"""Articles known to be foreign and pairs outside the length bounds are dropped, each with its reason."""

import pytest

from proofmatch.builder.filters import (
    DETECTORS,
    UNKNOWN,
    LengthFilter,
    detect_with_cld2,
    detect_with_polyglot,
    is_foreign,
    load_detector,
)
from proofmatch.builder.reasons import Reason
from proofmatch.builder.records import Length
from proofmatch.builder.settings import BuildSettings
from proofmatch.errors import ProofmatchError

ENGLISH = """Let G be a finite group and suppose that p divides the order of G. Then there is an element of
order p. We argue by induction on the order. If some proper subgroup has order divisible by p, we are done.
Otherwise the class equation shows that the centre is not trivial, and the claim follows from the abelian
case."""
FRENCH = """Soit G un groupe fini et supposons que p divise l'ordre de G. Alors il existe un élément d'ordre
p. On raisonne par récurrence sur l'ordre. Si un sous-groupe propre est d'ordre divisible par p, il n'y a
rien à démontrer. Sinon l'équation aux classes montre que le centre n'est pas trivial, d'où le résultat."""
GERMAN = """Sei G eine endliche Gruppe, deren Ordnung durch p teilbar ist. Dann gibt es ein Element der
Ordnung p. Wir beweisen dies durch Induktion nach der Ordnung. Ist die Ordnung einer echten Untergruppe
durch p teilbar, so sind wir fertig. Andernfalls zeigt die Klassengleichung, dass das Zentrum nicht trivial
ist, und daraus folgt die Behauptung."""
RUSSIAN = """Пусть порядок конечной группы делится на простое число. Тогда в группе есть элемент этого
порядка. Проведём индукцию по порядку группы. Если порядок некоторой собственной подгруппы делится на это
число, то доказывать нечего. В противном случае центр группы нетривиален, откуда и следует утверждение."""
SPANISH = """Sea G un grupo finito y supongamos que p divide al orden de G. Entonces existe un elemento de
orden p. Procedemos por inducción sobre el orden. Si algún subgrupo propio tiene orden divisible por p,
hemos terminado."""
ITALIAN = """Sia G un gruppo finito e supponiamo che p divida l'ordine di G. Allora esiste un elemento di
ordine p. Procediamo per induzione sull'ordine. Se qualche sottogruppo proprio ha ordine divisibile per p,
abbiamo finito."""

TEXTS = {"en": ENGLISH, "fr": FRENCH, "de": GERMAN, "ru": RUSSIAN, "es": SPANISH, "it": ITALIAN}


@pytest.mark.parametrize("language", TEXTS)
def test_languages_are_recognised(language):
    assert detect_with_cld2(TEXTS[language]) == language
    assert is_foreign(language) == (language != "en")


@pytest.mark.parametrize("text", ["", " \n", ".", "1 2 3", "Proof.", "∎", "x y z", "\x1e"])
def test_too_little_text_to_tell_is_kept(text):
    assert not is_foreign(detect_with_cld2(text))


def test_an_unknown_language_is_kept():
    assert not is_foreign(UNKNOWN)


def test_foreign_names_and_titles_do_not_make_an_article_foreign():
    text = f"{ENGLISH} This is due to Grothendieck, Éléments de géométrie algébrique, and to Поляков."
    assert detect_with_cld2(text) == "en"


@pytest.mark.parametrize(
    "character", ["\x00", "\x01", "\x0b", "\x1e", "\x7f", "\x80", "\x9f", "\ufffe", "\U0010ffff", "\ufeff"]
)
def test_control_characters_do_not_disturb_the_detector(character):
    assert detect_with_cld2(FRENCH.replace(" ", f" {character}", 5)) == "fr"
    assert detect_with_cld2(ENGLISH.replace(" ", f" {character}")) == "en"


def test_a_text_of_control_characters_alone_is_kept():
    assert not is_foreign(detect_with_cld2("\x01\x02\x80" * 50))


def test_a_long_text_is_no_problem():
    assert detect_with_cld2(GERMAN * 1000) == "de"


def test_without_a_detector_everything_is_kept():
    assert not is_foreign(load_detector("none")(RUSSIAN))


def test_an_unknown_detector_is_refused_with_the_choices():
    with pytest.raises(ProofmatchError, match=r"detector must be one of .*, not 'guess'") as caught:
        BuildSettings(detector="guess")
    assert all(name in str(caught.value) for name in DETECTORS)


def test_polyglot_gives_the_same_verdicts():
    pytest.importorskip("polyglot.detect", reason="polyglot is not installed", exc_type=ImportError)
    mixed = {
        "half": f"{ENGLISH}\n{FRENCH}",
        "mostly English": f"{ENGLISH}\n{ENGLISH}\n{FRENCH}",
        "control characters": ENGLISH.replace(" ", " \x80"),
        "short": "Proof.",
        "blank": " ",
        "symbols": "( 1 ) . ∎",
    }
    for name, text in {**TEXTS, **mixed}.items():
        assert is_foreign(detect_with_polyglot(text)) == is_foreign(detect_with_cld2(text)), name


def test_polyglot_that_is_not_installed_is_an_error_with_the_remedy():
    try:
        import polyglot.detect  # noqa: F401
    except ImportError:
        with pytest.raises(ProofmatchError, match=r"pip install proofmatch\[polyglot\]"):
            load_detector("polyglot")
    else:
        assert load_detector("polyglot") is detect_with_polyglot


FILTER = LengthFilter(shortest=20, longest=500)
FITS = Length(100, 50)


@pytest.mark.parametrize(
    "length", [Length(20, 0), Length(0, 20), Length(12, 8), Length(500, 0), Length(1, 499)]
)
def test_both_ends_are_included_and_words_and_leaves_count_together(length):
    assert FILTER.reason_to_drop(length, FITS) is None
    assert FILTER.reason_to_drop(FITS, length) is None


@pytest.mark.parametrize(
    ("statement", "proof", "reason"),
    [
        (Length(19, 0), FITS, Reason.STATEMENT_TOO_SHORT),
        (Length(0, 0), FITS, Reason.STATEMENT_TOO_SHORT),
        (Length(300, 201), FITS, Reason.STATEMENT_TOO_LONG),
        (FITS, Length(10, 9), Reason.PROOF_TOO_SHORT),
        (FITS, Length(0, 501), Reason.PROOF_TOO_LONG),
    ],
)
def test_each_miss_has_its_reason(statement, proof, reason):
    verdict = FILTER.reason_to_drop(statement, proof)
    assert verdict is not None
    assert verdict[0] is reason


def test_the_detail_says_how_short_or_which_limit():
    assert FILTER.reason_to_drop(Length(5, 2), FITS) == (Reason.STATEMENT_TOO_SHORT, "statement has 7 tokens")
    too_long = FILTER.reason_to_drop(FITS, Length(600, 0))
    assert too_long == (Reason.PROOF_TOO_LONG, "proof has more than 500 tokens")


def test_a_statement_is_judged_before_its_proof():
    short, long = Length(1, 0), Length(501, 0)
    assert FILTER.reason_to_drop(short, short)[0] is Reason.STATEMENT_TOO_SHORT
    assert FILTER.reason_to_drop(long, long)[0] is Reason.STATEMENT_TOO_LONG


def test_bounds_of_zero_keep_what_is_empty():
    assert LengthFilter(0, 0).reason_to_drop(Length(0, 0), Length(0, 0)) is None
    assert LengthFilter(0, 0).reason_to_drop(Length(1, 0), Length(0, 0)) is not None
