"""`ProofMatchBuilder`: builds a release as a dataset builder of `datasets`."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import datasets
import pyarrow.parquet as pq

from proofmatch import __version__
from proofmatch.errors import ProofmatchError

from .building import build_release
from .identifiers import digest
from .readers.sources import state_of
from .release.release import open_release
from .release.schema import CONFIGS, SPLITS
from .settings import BuildSettings

_DATASET = "proof_match"
_RELEASES = "proofmatch-releases"  # within the cache of `datasets`
_VERSION = datasets.Version(__version__)
_SCHEMAS = {config.name: config.schema for config in CONFIGS}
_SETTINGS = frozenset(setting.name for setting in fields(BuildSettings))


@dataclass
class ProofMatchConfig(datasets.BuilderConfig):
    """A configuration of the dataset, and what to build it from; `data_dir` is taken as a source too."""

    sources: str | list[str] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)  # those of `BuildSettings` that are not default

    def source_list(self) -> list[str]:
        """List all sources."""
        sources = [self.sources] if isinstance(self.sources, str | os.PathLike) else self.sources
        return [*map(os.fspath, sources), *([self.data_dir] if self.data_dir else [])]

    def fingerprint(self) -> str:
        """Identify a build by its settings, the version, and the state of its sources; of a URL, its name."""
        states = [source if "://" in source else source + state_of([source]) for source in self.source_list()]
        return digest(__version__, repr(BuildSettings(**self.settings)), *states, size=12)

    def create_config_id(
        self, config_kwargs: dict[str, Any], custom_features: datasets.Features | None = None
    ) -> str:
        """Name the folder in the cache; changed sources get another one."""
        described = {**config_kwargs, "fingerprint": self.fingerprint()}
        return super().create_config_id(described, custom_features)


class ProofMatchBuilder(datasets.GeneratorBasedBuilder):
    """Prepares any configuration from LaTeXML articles, with the rows of `proofmatch build`.

    All configurations of the same sources and settings share one build, which is kept in the cache.

    Example:
        >>> builder = ProofMatchBuilder(config_name="pairs", sources="articles/")  # doctest: +SKIP
        >>> builder.download_and_prepare(num_proc=2)  # doctest: +SKIP
        >>> builder.as_dataset(split="train")  # doctest: +SKIP
    """

    VERSION = _VERSION
    BUILDER_CONFIG_CLASS = ProofMatchConfig
    BUILDER_CONFIGS = [ProofMatchConfig(name=name, version=_VERSION) for name in _SCHEMAS]  # noqa: RUF012 - as `datasets` wants it
    DEFAULT_CONFIG_NAME = "pairs"

    def __init__(self, *args: Any, settings: dict[str, Any] | None = None, **kwargs: Any) -> None:  # noqa: ANN401
        """Accept the settings of a build as keyword arguments, beside those of `DatasetBuilder`."""
        if len(args) < len(("cache_dir", "dataset_name")):
            kwargs.setdefault("dataset_name", _DATASET)  # by default, `datasets` takes the module's name
        chosen = {name: kwargs.pop(name) for name in _SETTINGS & kwargs.keys()}
        super().__init__(*args, settings={**(settings or {}), **chosen}, **kwargs)

    def _info(self) -> datasets.DatasetInfo:
        return datasets.DatasetInfo(
            description="Mathematical statements and their proofs.",
            features=datasets.Features.from_arrow_schema(_SCHEMAS[self.config.name]),
        )

    def _split_generators(self, dl_manager: Any) -> list[datasets.SplitGenerator]:  # noqa: ANN401 - two classes
        download = dl_manager.download_config
        if download.force_download:
            self.info.splits = None  # the cache has the sizes of the previous build
        release = open_release(self._build(download.num_proc, again=download.force_download))
        generators = []
        for split in SPLITS:
            files = [release.folder / name for name in release.shards(self.config.name, split)]
            groups = [
                (str(path), group) for path in files for group in range(pq.read_metadata(path).num_row_groups)
            ]
            # `datasets` cannot load a split without rows.
            if groups:
                generators.append(datasets.SplitGenerator(split, gen_kwargs={"groups": groups}))
        return generators

    def _build(self, workers: int | None, *, again: bool) -> Path:
        config: ProofMatchConfig = self.config  # pyright: ignore[reportAssignmentType]
        if not config.source_list():
            raise ProofmatchError("ProofMatchBuilder needs sources, for example sources='articles/'")
        folder = Path(self._cache_dir_root, _RELEASES, config.fingerprint())
        if again:
            shutil.rmtree(folder, ignore_errors=True)
        return build_release(config.source_list(), folder, workers=workers, **config.settings)

    def _generate_examples(  # pyright: ignore[reportIncompatibleMethodOverride] - keys are any strings
        self, groups: list[tuple[str, int]]
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Read row groups back, in order; from a list, which `datasets` can distribute over processes."""
        for path, group in groups:
            for row in pq.ParquetFile(path).read_row_group(group).to_pylist():
                yield next(iter(row.values())), row
