"""What a statement calls itself: theorem, lemma, proposition and so on."""

import re

# Names and the abbreviations authors give their environments (`thm`, `Prop`, `mainlem`).
_KINDS = {
    "theorem": ("theorem", "thm", "theo", "teo", "theor", "satz"),
    "lemma": ("lemma", "lem", "lemme", "sublemma"),
    "proposition": ("proposition", "prop", "propo", "propn", "prp"),
    "corollary": ("corollary", "cor", "coro", "corol", "crl"),
    "definition": ("definition", "defn", "defi", "def", "dfn"),
    "remark": ("remark", "rem", "rmk", "rk", "remarks"),
    "example": ("example", "ex", "exa", "exam", "exmp", "expl", "examples"),
    "claim": ("claim", "clm", "subclaim"),
    "conjecture": ("conjecture", "conj", "cnj"),
    "fact": ("fact", "facts"),
    "observation": ("observation", "obs"),
    "property": ("property", "properties"),
    "assumption": ("assumption", "hypothesis", "hyp", "assump"),
    "notation": ("notation", "notations"),
    "question": ("question", "quest"),
    "problem": ("problem", "prob", "pb"),
    "exercise": ("exercise", "exer", "exercises"),
    "situation": ("situation",),
    "axiom": ("axiom",),
    "construction": ("construction",),
    "criterion": ("criterion",),
    "algorithm": ("algorithm",),
}
_KIND_OF = {name: kind for kind, names in _KINDS.items() for name in names}

OTHER = "other"

_CLASS_NAME = re.compile(r"(?:ltx_theorem_|theorem-|theorem_)(.+)")
_WORD = re.compile(r"[^\W\d_]+")


def kind_of_class(classes: str) -> str | None:
    """Name the kind that a class attribute of LaTeXML 0.8 tells, if any.

    >>> kind_of_class("ltx_theorem ltx_theorem_prop"), kind_of_class("theorem ltx_thm")
    ('proposition', None)
    """
    for name in classes.split():
        match = _CLASS_NAME.fullmatch(name)
        if match and (kind := _KIND_OF.get(match[1].strip("*0123456789").lower())):
            return kind
    return None


def kind_in_words(title: str) -> str | None:
    """Name the kind that a title mentions first, if any.

    >>> kind_in_words("3.1 Lemma (Gauss).")
    'lemma'
    """
    return next((kind for word in _WORD.findall(title) if (kind := _KIND_OF.get(word.lower()))), None)
