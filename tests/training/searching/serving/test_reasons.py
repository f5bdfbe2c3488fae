"""The strongest reasons are shown, with the tokens that each is about."""

from proofmatch.training.explaining.explanation import Explanation
from proofmatch.training.lexical.explanation import Reason
from proofmatch.training.lexical.naming import NamedFeature
from proofmatch.training.searching.serving.places import Place
from proofmatch.training.searching.serving.reasons import classes_of, shown_reasons

STATEMENT = ["t:Let", "m:f", "m:→", "t:be", "t:étale", "t:maps"]
PROOF = ["t:The", "t:étale", "m:f", "m:→", "t:étale", "t:of", "t:covers"]


def explanation(*reasons):
    return Explanation(STATEMENT, PROOF, 0.0, 0.0, 0.0, 0.0, list(reasons))


def word(surface, *places):
    return NamedFeature("word", surface, [(place, place + 1) for place in places])


ETALE = Reason("shared", 2.0, word("étale", 4), word("étale", 1, 4))
ARROW = Reason(
    "shared", 1.0, NamedFeature("math-2", "f →", [(1, 3)]), NamedFeature("math-2", "f →", [(2, 4)])
)
COVERS = Reason("associated", 0.1, word("maps", 5), word("covers", 6))


def test_reasons_know_their_tokens_in_both_texts():
    shown = shown_reasons(explanation(ETALE, ARROW, COVERS))
    assert [(reason.kind, reason.names) for reason in shown] == [
        ("shared", ("étale", "étale")),
        ("shared", ("f", "f")),
        ("associated", ("maps", "covers")),
    ]
    assert [tuple(map(sorted, reason.tokens)) for reason in shown] == [
        ([4], [1, 4]),
        ([1], [2]),
        ([5], [6]),
    ]


def test_words_between_a_pair_and_words_that_say_nothing_are_not_marked():
    pair = Reason(
        "shared",
        1.0,
        NamedFeature("stem-2", "étale maps", [(4, 6)]),
        NamedFeature("stem-2", "étale covers", [(4, 7)]),
    )
    (shown,) = shown_reasons(explanation(pair))
    assert tuple(map(sorted, shown.tokens)) == ([4, 5], [4, 6])
    let = Reason("shared", 1.0, NamedFeature("stem-2", "be étale", [(3, 5)]), word("étale", 1))
    (shown,) = shown_reasons(explanation(let))
    assert sorted(shown.tokens[0]) == [4]


def test_weak_features_of_a_reason_do_not_mark_more():
    weak = Reason("shared", 0.01, NamedFeature("stem-2", "étale maps", [(4, 6)]), word("étale", 1))
    (shown,) = shown_reasons(explanation(ETALE, weak))
    assert sorted(shown.tokens[0]) == [4]


def test_what_adds_nothing_is_not_shown():
    assert shown_reasons(explanation(Reason("shared", 0.004, word("étale", 4), word("étale", 1)))) == []
    assert shown_reasons(explanation()) == []
    assert classes_of([], [], 0) == {}


def test_there_are_few_reasons():
    many = [Reason("shared", 1.0, word(f"w{at}", 4), word(f"w{at}", 1)) for at in range(50)]
    assert len(shown_reasons(explanation(*many))) < 10


def test_marks_tell_kind_strength_and_reasons():
    reasons = shown_reasons(explanation(ETALE, ARROW, COVERS))
    ours = [Place(0, place, place + 1) for place in range(len(STATEMENT))]
    assert classes_of(reasons, ours, 0) == {
        ours[4]: "orange-mark strong reason-0",
        ours[1]: "orange-mark strong reason-1",
        ours[5]: "blue-mark weak reason-2",
    }


def test_a_place_of_several_reasons_has_them_all():
    both = Reason("associated", 0.5, word("étale", 4), word("covers", 6))
    reasons = shown_reasons(explanation(ETALE, both))
    place = Place(0, 0, 5)
    tokens = [None, None, None, None, place, None]
    assert classes_of(reasons, tokens, 0) == {place: "orange-mark strong reason-0 reason-1"}
