"""What happens to documents on their way: kinds of damage, and the reason for which a build discards each."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from ..reasons import Reason

_TOO_DEEP = 3000  # levels; parsers stop at a few hundred
_LATEX = b"\\documentclass{article}\n\\begin{document}\nThis was never converted.\n\\end{document}\n"
_PDF = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n%%EOF\n"


@dataclass(frozen=True, slots=True)
class Damage:
    """A kind of damage.

    Attributes:
        reason: Why the document is discarded.
        do: Random numbers and a document → what is left of it.
        generation: The only markup that suffers from it, if it is not all.
        suffix: The suffix it gets, if it is another.
    """

    reason: Reason
    do: Callable[[Random, bytes], bytes]
    generation: str | None = None
    suffix: str | None = None


def _truncated(random: Random, data: bytes) -> bytes:
    # After a tag: within one, a parser would speak of a syntax error.
    return data[: data.index(b">", int(len(data) * random.uniform(0.3, 0.95))) + 1]


def _wrong_encoding(random: Random, data: bytes) -> bytes:
    place = data.index(b"</p>", len(data) // 4)
    word = random.choice(("é", "ü", "ß")).encode("latin-1")
    return data[:place] + b" caf" + word + b" " + data[place:]


def _missing_end_tag(random: Random, data: bytes) -> bytes:
    place = data.index(b"</p>", int(len(data) * random.uniform(0.1, 0.6)))
    return data[:place] + data[place + len(b"</p>") :]


def _nested(_: Random, data: bytes) -> bytes:
    place = data.index(b"<body>") + len(b"<body>")
    return data[:place] + b"<div>" * _TOO_DEEP + b"</div>" * _TOO_DEEP + data[place:]


def _empty(random: Random, _: bytes) -> bytes:
    return random.choice((b"", b"\n", b"  \n\n"))


def _no_markup(random: Random, _: bytes) -> bytes:
    return random.choice((_LATEX, _PDF))


DAMAGES: dict[str, Damage] = {
    "truncated": Damage(Reason.TRUNCATED, _truncated),
    "wrong-encoding": Damage(Reason.WRONG_ENCODING, _wrong_encoding),
    "missing-end-tag": Damage(Reason.MALFORMED, _missing_end_tag, generation="latexml-0.7"),
    "empty": Damage(Reason.EMPTY, _empty),
    "nested": Damage(Reason.TOO_DEEP, _nested),
    "not-markup": Damage(Reason.NOT_MARKUP, _no_markup),
    "wrong-extension": Damage(Reason.MALFORMED, lambda _, data: data, generation="html5", suffix=".xhtml"),
}
