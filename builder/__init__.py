"""Articles in, release folder out: the corpus builder."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .build import build_release
    from .importing.importer import import_published
    from .linearization.standalone import math_tokens
    from .proof_match import ProofMatchBuilder

__all__ = ["ProofMatchBuilder", "build_release", "import_published", "math_tokens"]

# On first use, so that a worker or `math_tokens` does not load what it does not need.
_MODULES = {
    "ProofMatchBuilder": ".proof_match",
    "build_release": ".build",
    "import_published": ".importing.importer",
    "math_tokens": ".linearization.standalone",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - the type of a module's attributes
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_MODULES[name], __name__), name)
