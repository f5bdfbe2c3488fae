"""Lazy loading of the public names of a package: a command or a worker loads only what it needs."""

from collections.abc import Callable, Collection, Mapping
from importlib import import_module
from typing import Any


def lazy_exports(
    package: str, modules: Mapping[str, str], subpackages: Collection[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make the `__getattr__` and the `__dir__` of a package.

    Args:
        package: The package's `__name__`.
        modules: Public name → the module that defines it, relative to the package.
        subpackages: Public subpackages and modules.
    """

    def load(name: str) -> Any:  # noqa: ANN401 - the type of a module's attributes
        if name in subpackages:
            return import_module(f".{name}", package)
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(modules[name], package), name)

    return load, lambda: sorted([*modules, *subpackages])
