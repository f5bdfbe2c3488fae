"""Looking at formulas as nested lists."""

from collections.abc import Iterator
from typing import Any

from proofmatch.evaluation.pages.formulas import _ATTRIBUTES, _ELEMENTS, _LEAVES


def every_node(node: list[Any]) -> Iterator[list[Any]]:
    yield node
    for child in node[1:]:
        if isinstance(child, list):
            yield from every_node(child)


def leaves(nodes: list[Any]) -> list[str]:
    """The symbols of a formula, or of its parts, in their order."""
    return [
        child
        for part in nodes
        for node in every_node(part)
        for child in node[1:]
        if isinstance(child, str) and child
    ]


def check(nodes: list[Any]) -> None:
    """Assert that a browser is given nothing but what the page knows: elements, attributes and texts."""
    for part in nodes:
        assert part[0] in ("math", "code")
        if part[0] == "code":
            assert len(part) == 2
            assert isinstance(part[1], str)
            continue
        for node in every_node(part):
            name, *children = node
            assert name in _ELEMENTS
            assert node is part or name != "math"
            if children and isinstance(children[-1], dict):
                attributes = children.pop()
                assert attributes
                for key, value in attributes.items():
                    assert _ATTRIBUTES[key].fullmatch(value)
            if name in _LEAVES:
                (text,) = children
                text.encode()  # no half characters
            else:
                assert all(isinstance(child, list) for child in children)
