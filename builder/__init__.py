"""Articles in, release folder out: the corpus builder."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .build import build_release
    from .linearization.standalone import math_tokens

__all__ = ["build_release", "math_tokens"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - the type of a module's attributes
    # On first use, so that a worker or `math_tokens` does not load what it does not need.
    if name == "build_release":
        from .build import build_release

        return build_release
    if name == "math_tokens":
        from .linearization.standalone import math_tokens

        return math_tokens
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
