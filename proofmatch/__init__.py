"""Match research-level mathematical statements with their proofs."""

from pathlib import Path
from typing import TYPE_CHECKING

from .lazy import lazy_exports

if TYPE_CHECKING:  # in a checkout, type checkers do not find the subpackages
    from .builder.release.release import load_release  # pyright: ignore[reportMissingImports]
    from .evaluation.evaluator import evaluate  # pyright: ignore[reportMissingImports]
    from .training.prediction import load_matcher  # pyright: ignore[reportMissingImports]

__all__ = ["evaluate", "load_matcher", "load_release"]
__version__ = "0.1.0"

# In a checkout the subpackages lie beside this folder, not inside it, and a program started there finds this
# folder before the installed package.
_here = Path(__file__).parent
if not (_here / "builder").is_dir():
    __path__.append(str(_here.parent))

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "evaluate": ".evaluation.evaluator",
        "load_matcher": ".training.prediction",
        "load_release": ".builder.release.release",
    },
    subpackages=("builder", "evaluation", "training"),
)
