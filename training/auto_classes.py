"""Our matchers in `AutoConfig` and `AutoModel` of transformers.

Loading transformers takes seconds, which neither a command nor `import proofmatch.training` should wait for.
So an import hook waits until the auto classes are loaded, and registers placeholders. A placeholder
becomes the real configuration when a matcher is opened: that cannot be done while transformers is loading.
"""

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

_AUTO_CLASSES = "transformers.models.auto.configuration_auto"
_KINDS = ("proof-matcher", "lexical-matcher", "joint-matcher", "multi-view-matcher")


def register_when_loaded() -> None:
    """Register the matchers as soon as transformers has loaded its auto classes, which may be now."""
    if _AUTO_CLASSES in sys.modules:
        _register_placeholders()
    elif not any(isinstance(finder, _Hook) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Hook())


def _register_placeholders() -> None:
    from transformers.models.auto.configuration_auto import AutoConfig

    for kind in _KINDS:
        AutoConfig.register(kind, _placeholder(kind), exist_ok=True)


def _placeholder(kind: str) -> Any:  # noqa: ANN401 - a class made here
    from transformers.configuration_utils import PreTrainedConfig

    class Placeholder(PreTrainedConfig):
        model_type = kind

        def __new__(cls, *values: Any, **fields: Any) -> Any:  # noqa: ANN401 - the library's
            return register_matchers()[kind](*values, **fields)

        @classmethod
        def from_dict(cls, config_dict: dict[str, Any], **options: Any) -> Any:  # noqa: ANN401 - the library's
            return register_matchers()[kind].from_dict(config_dict, **options)

    return Placeholder


def register_matchers() -> dict[str, Any]:
    """Register the matchers themselves, and return their configurations."""
    from transformers import AutoConfig, AutoModel

    from .prediction import KINDS

    configs = {}
    for kind, matcher in KINDS.items():
        config: Any = matcher.config_class
        configs[kind] = config
        AutoConfig.register(kind, config, exist_ok=True)
        AutoModel.register(config, matcher, exist_ok=True)
    return configs


class _Hook(MetaPathFinder):
    """Finds the module of the auto classes as usual, and registers placeholders once it is loaded."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 - of the protocol
        target: ModuleType | None = None,  # noqa: ARG002 - of the protocol
    ) -> ModuleSpec | None:
        """Find the module of the auto classes, and no other."""
        if fullname != _AUTO_CLASSES:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = _RegisteringLoader(spec.loader)
        return spec


class _RegisteringLoader(Loader):
    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        _register_placeholders()
