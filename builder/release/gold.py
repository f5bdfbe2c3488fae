"""The gold file of a sealed release: the answers of its test split, for its maintainer."""

import json
from collections.abc import Iterable
from io import TextIOWrapper
from pathlib import Path
from typing import NamedTuple

from proofmatch.errors import ProofmatchError, quoted
from proofmatch.storage import disk_reason, open_regular


class GoldPair(NamedTuple):
    """A line of the gold file."""

    statement_id: str
    proof_id: str
    primary_category: str | None


def gold_lines(pairs: Iterable[GoldPair]) -> str:
    """Write the gold file's content: JSON Lines, in the order of the statements."""
    return "".join(json.dumps(pair._asdict(), ensure_ascii=False) + "\n" for pair in sorted(pairs))


def read_gold(path: Path) -> dict[str, GoldPair]:
    """Read a gold file: statement → its pair.

    Raises:
        ProofmatchError: If it cannot be read, is something else, or names an id twice.
    """
    pairs: dict[str, GoldPair] = {}
    proofs: set[str] = set()
    number = 0
    try:
        with TextIOWrapper(open_regular(path), encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                pair = _parse_line(line)
                for name, known in ((pair.statement_id, pairs), (pair.proof_id, proofs)):
                    if name in known:
                        raise ProofmatchError(f"{path}, line {number}: {quoted(name)} occurs twice")
                pairs[pair.statement_id] = pair
                proofs.add(pair.proof_id)
    except ProofmatchError:
        raise
    except OSError as error:
        raise ProofmatchError(f"{path} cannot be read ({disk_reason(error)})") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ProofmatchError(
            f"{path}, line {max(number, 1)} is not an object with statement_id and proof_id, "
            "as `proofmatch seal` writes them"
        ) from None
    return pairs


def _parse_line(line: str) -> GoldPair:
    row = json.loads(line)
    pair = GoldPair(row["statement_id"], row["proof_id"], row.get("primary_category"))
    if not all(isinstance(value, str) for value in (*pair[:2], pair.primary_category or "")):
        raise ValueError(line)
    return pair
