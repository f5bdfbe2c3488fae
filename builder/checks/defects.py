"""What can be wrong with a file and its rows: other columns than those of the contract, missing values."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute makes its functions at run time, where a type checker does not see them.)

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .vocabulary import as_bool

# What reading a damaged file can end with.
UNREADABLE = (OSError, pa.ArrowException, UnicodeDecodeError)

NULLABLE = {"primary_category"}
MAY_BE_EMPTY = {"title", "categories", "primary_category", "kind", "original", "renamed"}


class WrongSchema(Exception):  # noqa: N818 - what is wrong, not what went wrong
    """A file whose columns are not those of its config."""


def compare_schemas(found: pa.Schema, right: pa.Schema) -> None:
    """Compare the columns of a file with those it should have.

    Raises:
        WrongSchema: If they are not the same, in the same order.
    """
    names, right_names = found.names, right.names
    differences = [f"column {name} is missing" for name in right_names if name not in names]
    differences += [f"column {name} is unknown" for name in names if name not in right_names]
    differences += [f"column {name} occurs {n} times" for name, n in Counter(names).items() if n > 1]
    if not differences and names != right_names:
        differences = [f"its columns are in the order {', '.join(names)}, not {', '.join(right_names)}"]
    differences += [
        f"column {field.name} is {found.field(field.name).type}, not {field.type}"
        for field in right
        if names.count(field.name) == 1 and found.field(field.name).type != field.type
    ]
    if differences:
        raise WrongSchema("; ".join(differences))


def defective_rows(batch: pa.RecordBatch, schema: pa.Schema) -> Iterator[tuple[str, np.ndarray]]:
    """Find rows that lack something: what they lack, and which they are."""
    for field in schema:
        column = batch.column(field.name)
        if field.name not in NULLABLE and column.null_count:
            yield f"no {field.name} (null)", as_bool(column.is_null())
        is_list = pa.types.is_list(field.type)
        if is_list and column.flatten().null_count:
            rows = np.zeros(len(column), bool)
            rows[as_bool(pc.list_parent_indices(column).filter(column.flatten().is_null()))] = True
            yield f"a null among its {field.name}", rows
        if field.name not in MAY_BE_EMPTY:
            length = pc.list_value_length(column) if is_list else pc.binary_length(column)
            empty = as_bool(pc.equal(length, 0).fill_null(False))
            if empty.any():
                yield f"empty {field.name}", empty
