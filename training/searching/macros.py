r"""An author's macros: definitions in TeX, and texts with every use replaced by its meaning.

`\newcommand`, `\renewcommand`, `\providecommand`, `\def` with plain parameters, and `\DeclareMathOperator`
are read, wherever they are. Expansion has limits, because a few lines can stand for gigabytes.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from proofmatch.errors import ProofmatchError

_MAX_EXPANSIONS = 1_000
_MAX_CHARACTERS = 20_000
_MAX_GROUP = 5_000  # characters of a definition or an argument
_MAX_FILE = 1_000_000  # bytes

_NAME = r"[A-Za-z@]+|[^A-Za-z@\s]"
_DEFINITION = re.compile(
    r"\\(?:(?P<new>(?:re)?newcommand|providecommand|DeclareRobustCommand)\*?"
    r"|(?P<def>[gex]?def)|(?P<operator>DeclareMathOperator\*?))"
    rf"\s*(?:\{{\s*\\(?P<braced>{_NAME})\s*\}}|\\(?P<bare>{_NAME}))"
)
_NUMBER = re.compile(r"\s*\[\s*(\d)\s*\]")
_DEFAULT = re.compile(r"\s*\[([^\[\]]*)\]")
_PARAMETERS = re.compile(r"\s*((?:#\d)*)\s*(?=\{)")
_COMMAND = re.compile(rf"\\(?P<name>{_NAME})")
_PARAMETER = re.compile(r"#(\d)")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_COMMENT = re.compile(r"(?<!\\)%.*")
_ENDS_IN_COMMAND = re.compile(r"\\[A-Za-z@]+$")


@dataclass(frozen=True, slots=True)
class Macro:
    """A definition.

    Attributes:
        body: What it stands for, with `#1` for its first argument.
        n_arguments: The number of arguments.
        default: The default of an optional first argument, if that is optional.
    """

    body: str
    n_arguments: int = 0
    default: str | None = None


Macros = Mapping[str, Macro]


def read_macros(tex: str) -> tuple[dict[str, Macro], str]:
    r"""Read the definitions in a text.

    Returns:
        The macros by their names, and the text without the definitions. A definition that has no end, or
        parameters between other characters, stays in the text.

    >>> read_macros(r"\newcommand{\PP}{\mathbb{P}}Let $X \subset \PP^n$.")
    ({'PP': Macro(body='\\mathbb{P}', n_arguments=0, default=None)}, 'Let $X \\subset \\PP^n$.')
    """
    macros: dict[str, Macro] = {}
    kept: list[str] = []
    position = start = 0
    while definition := _DEFINITION.search(tex, position):
        position = definition.end()
        if (found := _read_definition(tex, definition)) is not None:
            macro, position = found
            macros[definition["braced"] or definition["bare"]] = macro
            kept.append(tex[start : definition.start()])
            start = position
    return macros, "".join([*kept, tex[start:]])


def read_macro_file(path: Path) -> dict[str, Macro]:
    """Read the definitions in a file: a list of them, a preamble, a style or a whole article.

    Raises:
        ProofmatchError: If it cannot be read, is too large, or defines nothing.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_FILE + 1)
    except OSError as error:
        raise ProofmatchError(f"{path} cannot be read ({error.strerror})") from None
    if len(content) > _MAX_FILE:
        raise ProofmatchError(f"{path} has more than {_MAX_FILE:,} bytes; give the definitions only")
    macros, _ = read_macros(_COMMENT.sub("", content.decode(errors="replace")))
    if not macros:
        raise ProofmatchError(
            rf"{path} defines no macro; write lines such as \newcommand{{\PP}}{{\mathbb{{P}}}}"
        )
    return macros


def expand(tex: str, macros: Macros) -> str:
    r"""Expand macros until none is left.

    Raises:
        ProofmatchError: If that would take too long, because a macro is defined by itself for example.

    >>> expand(r"$\norm{x} \le \a y$", read_macros(r"\def\a{\alpha}\newcommand{\norm}[1]{\|#1\|}")[0])
    '$\\|x\\| \\le \\alpha y$'
    """
    done: list[str] = []
    n_expansions = n_characters = position = 0
    while command := _COMMAND.search(tex, position):
        macro = macros.get(command["name"])
        if macro is None:
            position = command.end()
            continue
        meaning, end = _meaning(macro, tex, command.end())
        done.append(tex[: command.start()])
        n_characters += command.start()
        tex, position = _joined(meaning, tex[end:]), 0
        n_expansions += 1
        if n_expansions > _MAX_EXPANSIONS or n_characters + len(tex) > _MAX_CHARACTERS:
            raise ProofmatchError(
                f"the macros expand without end or to more than {_MAX_CHARACTERS:,} characters; "
                f"look at the definition of \\{command['name']}"
            )
    return "".join([*done, tex])


def _read_definition(tex: str, definition: re.Match[str]) -> tuple[Macro, int] | None:
    """Read what follows the name that is defined, and where it ends."""
    position, n_arguments, default = definition.end(), 0, None
    if definition["new"] and (number := _NUMBER.match(tex, position)):
        position, n_arguments = number.end(), int(number[1])
        if optional := _DEFAULT.match(tex, position):
            position, default = optional.end(), optional[1]
    elif definition["def"]:
        if (parameters := _PARAMETERS.match(tex, position)) is None:
            return None
        position, n_arguments = parameters.end(), len(parameters[1]) // 2
    position = _skip_space(tex, position)
    if tex[position : position + 1] != "{" or (end := _group_end(tex, position)) < 0:
        return None
    body = tex[position + 1 : end]
    return Macro(
        rf"\operatorname{{{body}}}" if definition["operator"] else body, n_arguments, default
    ), end + 1


def _meaning(macro: Macro, tex: str, position: int) -> tuple[str, int]:
    """Fill in the arguments that follow a macro, and return where they end."""
    arguments: list[str] = []
    if macro.default is not None:
        given = _DEFAULT.match(tex, position)
        arguments.append(given[1] if given else macro.default)
        position = given.end() if given else position
    while len(arguments) < macro.n_arguments:
        argument, position = _argument(tex, position)
        arguments.append(argument)
    pieces = _PARAMETER.split(macro.body)  # text, number, text, number, …
    meaning = pieces[0]
    for number, text in zip(pieces[1::2], pieces[2::2], strict=True):
        place = int(number) - 1
        meaning = _joined(_joined(meaning, arguments[place] if 0 <= place < len(arguments) else ""), text)
    return meaning, position


def _argument(tex: str, position: int) -> tuple[str, int]:
    """Read a group, a command or a character; what is missing is empty."""
    start = _skip_space(tex, position)
    if tex[start : start + 1] == "{" and (end := _group_end(tex, start)) >= 0:
        return tex[start + 1 : end], end + 1
    command = _COMMAND.match(tex, start)
    end = command.end() if command else min(start + 1, len(tex))
    return tex[start:end], end


def _joined(left: str, right: str) -> str:
    """Join two pieces so that the letters of the second one do not extend a command of the first one."""
    is_apart = right[:1].isalpha() and _ENDS_IN_COMMAND.search(left) is not None
    return f"{left} {right}" if is_apart else left + right


def _skip_space(tex: str, position: int) -> int:
    while position < len(tex) and tex[position].isspace():
        position += 1
    return position


def _group_end(tex: str, start: int) -> int:
    """Return the position of the brace that closes the one at `start`; -1 if there is none."""
    depth = 0
    for match in _BRACE.finditer(tex, start, start + _MAX_GROUP):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return match.start()
    return -1
