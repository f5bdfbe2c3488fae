"""Articles in, release folder out: the corpus builder."""

from typing import TYPE_CHECKING

from proofmatch.lazy import lazy_exports

if TYPE_CHECKING:
    from .building import build_release
    from .datasets_builder import ProofMatchBuilder
    from .linearization.formulas import math_tokens
    from .published import import_published
    from .seal import seal_release

__all__ = ["ProofMatchBuilder", "build_release", "import_published", "math_tokens", "seal_release"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "ProofMatchBuilder": ".datasets_builder",
        "build_release": ".building",
        "import_published": ".published",
        "math_tokens": ".linearization.formulas",
        "seal_release": ".seal",
    },
)
