"""Equal pairs of one article are told apart by counting, over all parts of a family."""

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa

from ..arrow import read_arrow, strings, write_arrow
from ..identifiers import pair_id, proof_id, split_key, statement_id
from ..pair_parts import read_columns

_TEXTS = ("statement", "proof", "statement_tokens", "proof_tokens")


def tell_repeated_pairs_apart(parts: Iterable[Path], seed: int) -> None:
    """Give every pair an id of its own, in the order of the parts.

    A worker names a pair by its content, and cannot know what other parts hold. What was renamed before an
    interruption keeps its name.

    Args:
        parts: The parts of one family; those with repeated pairs are written anew.
        seed: Salt of the split keys.
    """
    seen: set[str] = set()
    for path in parts:
        new_names: dict[int, str] = {}
        for row, name in enumerate(read_columns(path, {"id"})["id"].to_pylist()):
            if name in seen:
                name = new_names[row] = _unused_name(read_arrow(path).slice(row, 1).to_pylist()[0], seen)
            seen.add(name)
        if new_names:
            write_arrow(_renamed(read_arrow(path), new_names, seed), path)


def _unused_name(row: dict[str, str], seen: set[str]) -> str:
    occurrence = 1
    texts = [row[name] for name in _TEXTS]
    while (name := pair_id(row["article_id"], occurrence, *texts)) in seen:
        occurrence += 1
    return name


def _renamed(table: pa.Table, new_names: dict[int, str], seed: int) -> pa.Table:
    old_names: list[str] = table["id"].to_pylist()  # pyright: ignore[reportAssignmentType] - none is missing
    names = [new_names.get(row, name) for row, name in enumerate(old_names)]
    changed = {
        "id": names,
        "statement_id": [statement_id(name) for name in names],
        "proof_id": [proof_id(name) for name in names],
        "split_key": [split_key(seed, name) for name in names],
    }
    for column, values in changed.items():
        table = table.set_column(table.schema.get_field_index(column), column, strings(values))
    return table
