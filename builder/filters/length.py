"""The length filter of the paper: 20 to 500 tokens for statements and for proofs."""

from dataclasses import dataclass

from ..reasons import Reason
from ..records import Length


@dataclass(frozen=True, slots=True)
class LengthFilter:
    """Keeps pairs whose statement and proof have both a length within bounds, ends included."""

    shortest: int
    longest: int

    def reason_to_drop(self, statement: Length, proof: Length) -> tuple[Reason, str] | None:
        """Say why a pair is dropped, or None if it stays."""
        if statement.total < self.shortest:
            return Reason.STATEMENT_TOO_SHORT, f"statement has {statement.total} tokens"
        if proof.total < self.shortest:
            return Reason.PROOF_TOO_SHORT, f"proof has {proof.total} tokens"
        if statement.total > self.longest:
            return Reason.STATEMENT_TOO_LONG, f"statement has more than {self.longest} tokens"
        if proof.total > self.longest:
            return Reason.PROOF_TOO_LONG, f"proof has more than {self.longest} tokens"
        return None
