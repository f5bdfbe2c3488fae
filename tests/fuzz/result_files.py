"""Result files: any folder becomes a leaderboard, and what is wrong is left out and named."""

import json
from copy import deepcopy
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from random import Random
from typing import Any

from experiments.store import Store
from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.leaderboard.boards import make_boards
from proofmatch.evaluation.leaderboard.checking import check_folder, open_checker
from proofmatch.evaluation.leaderboard.published import add_published, read_published
from proofmatch.evaluation.leaderboard.views import make_document, render_index, render_readme
from tests.fuzz.mutations import ANY_BYTES, CHARACTERS, LINES, damaged
from tests.fuzz.targets import check, check_message

SHARE = 0.5

_MOST_FAULTS = 60
_VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        0.5,
        1.5,
        10**400,
        1e308,
        "",
        "x",
        [],
        {},
        [0.1, 0.2],
        [1, 0, 1],
        "\x1b[2J",
    ),
    *(
        "<script>alert(1)</script>",
        "javascript:alert(1)",
        "https://example.org",
        "a\nb",
        "\ud800",
        "9" * 5000,
    ),
    *("0" * 64, "../../etc/passwd", {"a": {"b": {}}}, [[]], "test", "pairs", "local", "0.1.0", "x" * 5000),
)


@cache
def seeds() -> tuple[dict[str, Any], ...]:
    store = Store("stacks")
    return tuple(result for group in ("ablation", "main", "transductive") for result in store.results(group))


def make(chance: Random) -> list[tuple[str, bytes]]:
    """Names and contents of one file or two, of which the first is damaged."""
    result = deepcopy(chance.choice(seeds()))
    if chance.random() < 0.6:
        for _ in range(chance.choice((1, 1, 2, 4))):
            _change(result, chance)
    data = json.dumps(result, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")
    if chance.random() < 0.5:
        data = damaged(data, chance, (*ANY_BYTES, *LINES))
    name = chance.choice(
        ("x.result.json", "x.json", "a/b.result.json", "é ‮.result.json", "system.json", "<b>.json")
    )
    files = [(name, data)]
    if chance.random() < 0.5:
        files.append(("other.result.json", json.dumps(chance.choice(seeds())).encode()))
    return files


def _change(result: dict[str, Any], chance: Random) -> None:
    """Change, remove or add a value somewhere."""
    place: Any = result
    while True:
        key = chance.choice(list(place) if isinstance(place, dict) else range(len(place)))
        inner = place[key]
        if isinstance(inner, dict | list) and inner and chance.random() < 0.7:
            place = inner
            continue
        what = chance.random()
        if what < 0.2:
            del place[key]
        elif what < 0.3 and isinstance(place, dict):
            place[chance.choice(("new", "", "__proto__", "\x1b", "name"))] = inner
        else:
            character = chance.choice(CHARACTERS).decode("utf-8", "surrogatepass")
            place[key] = deepcopy(chance.choice((*_VALUES, character)))
        if not place or not result:
            result["left"] = 1
        return


class _Outline(HTMLParser):
    """Collects what would run."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts = 0
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        self.links += [value or "" for name, value in attributes if name in ("href", "src")]


@cache
def _own_scripts() -> int:
    outline = _Outline()
    outline.feed(render_index(add_published([], read_published())))
    return outline.scripts


def run(files: list[tuple[str, bytes]], folder: Path) -> str:
    place = folder / "results"
    written = [place / name for name, _ in files]
    for path, (_, data) in zip(written, files, strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    try:
        return _make(place)
    finally:
        for path in written:
            path.unlink()


def _make(folder: Path) -> str:
    try:
        checked = check_folder(folder, open_checker((), strict=False))
    except ProofmatchError as error:
        check_message(str(error), _MOST_FAULTS)
        return "refused"
    if checked.faults:
        check_message("\n".join(checked.faults), _MOST_FAULTS)
    boards = add_published(make_boards(checked.entries), read_published())
    outline = _Outline()
    outline.feed(render_index(boards))
    check(outline.scripts == _own_scripts(), "somebody else's script is on the page")
    check(
        not any(link.strip().lower().startswith("javascript") for link in outline.links), "a link that runs"
    )
    json.loads(make_document(boards, []))
    check(isinstance(render_readme(boards), str), "no readme")
    return "boards" if checked.entries else "no results"
