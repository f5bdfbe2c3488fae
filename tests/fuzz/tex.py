"""Text with TeX, as people type it: always tokens, and always something to show; nothing is refused."""

import json
import re
from functools import cache
from pathlib import Path
from random import Random

from proofmatch.builder.sample import sample_articles
from proofmatch.builder.tex import printed_text, split_formulas
from proofmatch.builder.tokens import parse_token
from proofmatch.evaluation.pages.formulas import shown_formula
from proofmatch.evaluation.pages.texts import plain_text, shown_text
from proofmatch.training.searching.query import tex_tokens
from tests.fuzz.mutations import ANY_BYTES, LINES, damaged
from tests.fuzz.targets import check

SECONDS = 10.0

_LARGEST = 20_000
_PIECES = (
    *(r"\frac", r"\sqrt[3]", "{", "}", "^", "_", "&", r"\\", "$", "$$", r"\(", r"\)", r"\[", r"\]", "%", "~"),
    *(r"\left(", r"\right.", r"\left", r"\right", r"\begin{matrix}", r"\end{matrix}", r"\begin{align*}", "#"),
    *(
        r"\end{align*}",
        r"\begin{cases}",
        r"\begin{array}{cc|r}",
        r"\end{array}",
        r"\text{a $x$ b}",
        r"\mbox{",
    ),
    *(r"\mathrm{Hom}", r"\mathbb R", r"\operatorname*", r"\limits", r"\sum_{i=1}^n", r"\not", r"\kern 3pt "),
    *(r"\hspace{1em}", r"\label{a}", r"\tag{1}", r"\emph{", r"\'e", r"\"{\i}", r"\v{c}", r"\rm ", r"{\bf x}"),
    *(
        r"\overset{a}",
        r"\underbrace",
        r"\xrightarrow{f}",
        r"\substack{",
        r"\color{red}",
        r"\verb|x|",
        r"\dots",
    ),
    *("\\", "\\ ", r"\,", "x", "y'", "''", "12.5", "α", "𝐱", "\n", " ", "\t", "-", "--", "<", "é", r"\relax"),
    *(
        r"\def\a{\a}\a",
        r"\newcommand{\x}[1]{#1}",
        r"\hline",
        r"\middle|",
        r"\big",
        r"\mathcal",
        r"\prime",
        "\ue000",
    ),
)


@cache
def seeds() -> tuple[str, ...]:
    latex = (sample_articles().parent / "latex").glob("*.tex")
    paragraphs = [
        paragraph
        for path in sorted(latex)
        for paragraph in re.split(r"\n\s*\n", path.read_text(encoding="utf-8"))
        if "$" in paragraph or "\\[" in paragraph
    ]
    return tuple(paragraphs)


def make(chance: Random) -> str:
    if chance.random() < 0.4:
        text = "".join(chance.choice(_PIECES) for _ in range(chance.choice((1, 3, 10, 40, 200))))
        text = f"${text}$" if chance.random() < 0.5 else text
        if chance.random() < 0.7:
            return text
    else:
        text = chance.choice(seeds())
    data = damaged(text.encode(), chance, (*ANY_BYTES, *LINES, _put_tex, _put_tex))
    return data[:_LARGEST].decode("utf-8", "replace")


def _put_tex(data: bytes, chance: Random) -> bytes:
    place = chance.randrange(len(data) + 1)
    return data[:place] + chance.choice(_PIECES).encode() * chance.choice((1, 1, 2, 100)) + data[place:]


def run(text: str, _folder: Path) -> str:
    pieces = list(split_formulas(text))
    check(all(piece.tex in text for piece in pieces), "a piece that is not of the text")
    check(isinstance(printed_text(text), str), "printed text is no text")
    tokens = tex_tokens(text)
    check(" ".join(tokens).split() == tokens, "white space in a token")
    for token in tokens:
        parse_token(token)
    shown = shown_text(text, tokens)
    json.dumps(shown, allow_nan=False)
    check(isinstance(plain_text(shown), str), "plain text is no text")
    for piece in pieces:
        if piece.is_formula:
            _check_formula(shown_formula(piece.tex))
    return "formulas" if any(piece.is_formula for piece in pieces) else "text"


def _check_formula(nodes: list) -> None:
    for node in nodes:
        check(node[0] in ("math", "code"), f"a formula that is a {node[0]}")
    json.dumps(nodes, allow_nan=False)
