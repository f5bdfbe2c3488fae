"""`ProofMatchBuilder`: builds a release as a dataset builder of `datasets`."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any

import datasets
import pyarrow.parquet as pq

from proofmatch import __version__
from proofmatch.downloads import DatasetListing, check_download
from proofmatch.errors import ProofmatchError

from .building import build_release
from .identifiers import digest
from .published import Edition, import_from
from .published_source import PUBLISHED_CORPUS, HubPlace, LocalPlace, find_place
from .readers.sources import state_of
from .release.release import open_release
from .release.schema import CONFIGS, SPLITS
from .settings import BuildSettings

_DATASET = "proof_match"
_PUBLISHED = "match"  # the configuration with the pairs of the published corpus
_IMPORT_SETTINGS = frozenset(("seed", "license"))
_RELEASES = "proofmatch-releases"  # within the cache of `datasets`
_VERSION = datasets.Version(__version__)
_SCHEMAS = {config.name: config.schema for config in CONFIGS}
_SETTINGS = frozenset(setting.name for setting in fields(BuildSettings))


@dataclass
class ProofMatchConfig(datasets.BuilderConfig):
    """A configuration of the dataset, and what to make it from.

    Attributes:
        sources: Articles to build it from; `data_dir` is taken as a source too.
        published: Or the published corpus to import it from: a folder, or a dataset on the Hub.
        revision: A branch, tag or commit of the dataset on the Hub.
        symbols: The edition to import.
        subset: The part of it to import.
        settings: Values of `BuildSettings` other than the defaults; for an import, `seed` and `license`.
    """

    sources: str | list[str] = field(default_factory=list)
    published: str | None = None
    revision: str | None = None
    symbols: str = "conservation"
    subset: str = "mixed"
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def table(self) -> str:
        """The configuration of the release that has its rows."""
        return "pairs" if self.name == _PUBLISHED else self.name

    def source_list(self) -> list[str]:
        """List all sources."""
        sources = [self.sources] if isinstance(self.sources, str | os.PathLike) else self.sources
        return [*map(os.fspath, sources), *([self.data_dir] if self.data_dir else [])]

    def fingerprint(self) -> str:
        """Identify a release by version, settings and the state of its sources; of a URL, by its name."""
        if self.published is not None:
            edition = repr((self.symbols, self.subset, sorted(self.settings.items())))
            return digest(__version__, "import", edition, self.place().state(), size=12)
        states = [source if "://" in source else source + state_of([source]) for source in self.source_list()]
        return digest(__version__, repr(BuildSettings(**self.settings)), *states, size=12)

    def place(self) -> LocalPlace | HubPlace:
        """Find the published corpus."""
        unknown = sorted(self.settings.keys() - _IMPORT_SETTINGS)
        if unknown or self.source_list():
            raise ProofmatchError(
                f"an import takes {' and '.join(sorted(_IMPORT_SETTINGS))} and no sources; "
                f"leave out {', '.join(unknown) or 'sources'}"
            )
        return find_place(self.published or "", self.revision)

    def create_config_id(
        self, config_kwargs: dict[str, Any], custom_features: datasets.Features | None = None
    ) -> str:
        """Name the folder in the cache; changed sources get another one."""
        described = {**config_kwargs, "fingerprint": self.fingerprint()}
        return super().create_config_id(described, custom_features)


class ProofMatchBuilder(datasets.GeneratorBasedBuilder):
    """Prepares any configuration from articles or the published corpus, with the rows of our commands.

    `sources` are built, `published` is imported; the configuration `match` has the `pairs` of the corpus that
    is published on the Hub. All configurations of the same sources and settings share one release, which is
    kept in the cache; streaming makes it too, because ids depend on all pairs, and then streams its rows.

    Example:
        >>> builder = ProofMatchBuilder(config_name="pairs", sources="articles/")  # doctest: +SKIP
        >>> builder.download_and_prepare(num_proc=2)  # doctest: +SKIP
        >>> builder.as_dataset(split="train")  # doctest: +SKIP
        >>> ProofMatchBuilder(config_name="match").as_streaming_dataset(split="test")  # doctest: +SKIP
        >>> ProofMatchBuilder(config_name="proofs", published="waylonli/MATcH")  # doctest: +SKIP
    """

    VERSION = _VERSION
    BUILDER_CONFIG_CLASS = ProofMatchConfig
    BUILDER_CONFIGS = [  # noqa: RUF012 - as `datasets` wants it
        *(ProofMatchConfig(name=name, version=_VERSION) for name in _SCHEMAS),
        ProofMatchConfig(name=_PUBLISHED, version=_VERSION, published=PUBLISHED_CORPUS),
    ]
    DEFAULT_CONFIG_NAME = "pairs"

    def __init__(self, *args: Any, settings: dict[str, Any] | None = None, **kwargs: Any) -> None:  # noqa: ANN401
        """Accept the settings of a build as keyword arguments, in addition to those of `DatasetBuilder`."""
        if len(args) < len(("cache_dir", "dataset_name")):
            kwargs.setdefault("dataset_name", _DATASET)  # by default, `datasets` takes the module's name
        chosen = {name: kwargs.pop(name) for name in _SETTINGS & kwargs.keys()}
        super().__init__(*args, settings={**(settings or {}), **chosen}, **kwargs)

    @property
    def _config(self) -> ProofMatchConfig:
        return self.config  # pyright: ignore[reportReturnType] - of the class that we named

    def _info(self) -> datasets.DatasetInfo:
        return datasets.DatasetInfo(
            description="Mathematical statements and their proofs.",
            features=datasets.Features.from_arrow_schema(_SCHEMAS[self._config.table]),
        )

    def _split_generators(self, dl_manager: Any) -> list[datasets.SplitGenerator]:  # noqa: ANN401 - two classes
        download = dl_manager.download_config
        if download.force_download:
            self.info.splits = None  # the cache has the sizes of the previous build
        release = open_release(self._make_release(dl_manager))
        generators = []
        for split in SPLITS:
            files = [release.folder / name for name in release.shards(self._config.table, split)]
            groups = [
                (str(path), group) for path in files for group in range(pq.read_metadata(path).num_row_groups)
            ]
            # `datasets` cannot load a split without rows.
            if groups:
                generators.append(datasets.SplitGenerator(split, gen_kwargs={"groups": groups}))
        return generators

    def _make_release(self, dl_manager: Any) -> Path:  # noqa: ANN401 - two classes
        config, download = self._config, dl_manager.download_config
        if config.published is None and not config.source_list():
            raise ProofmatchError(
                "ProofMatchBuilder needs sources='articles/' or published='waylonli/MATcH', for example"
            )
        folder = Path(self._cache_dir_root, _RELEASES, config.fingerprint())
        if download.force_download:
            shutil.rmtree(folder, ignore_errors=True)
        if config.published is None:
            return build_release(config.source_list(), folder, workers=download.num_proc, **config.settings)
        place = config.place()
        if isinstance(place, HubPlace):
            place.token = self.token if isinstance(self.token, str) else None
            if not dl_manager.is_streaming:  # that manager would only give addresses
                place.download = partial(_download, dl_manager)
        edition = Edition(config.symbols, config.subset, **config.settings)
        return import_from(place, folder, edition, download.num_proc)

    def _generate_examples(  # pyright: ignore[reportIncompatibleMethodOverride] - keys are any strings
        self, groups: list[tuple[str, int]]
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Read row groups back, in order; from a list, which `datasets` can distribute over processes."""
        for path, group in groups:
            for row in pq.ParquetFile(path).read_row_group(group).to_pylist():
                yield next(iter(row.values())), row


def _download(dl_manager: Any, listing: DatasetListing, names: list[str]) -> list[Path]:  # noqa: ANN401 - of `datasets`
    """Have the download manager of `datasets` fetch files of a dataset."""
    with listing.failures_in_words():
        urls = [f"hf://datasets/{listing.repo_id}@{listing.commit}/{name}" for name in names]
        paths = [Path(path) for path in dl_manager.download(urls)]
    for name, path in zip(names, paths, strict=True):
        check_download(listing, name, path)
    return paths
