"""Match research-level mathematical statements with their proofs."""

from pathlib import Path

__version__ = "0.1.0"

# In a checkout the subpackages lie beside this folder, not inside it, and a program started there finds this
# folder before the installed package.
_here = Path(__file__).parent
if not (_here / "builder").is_dir():
    __path__.append(str(_here.parent))
