"""`manifest.json`: what a release is made of. It is written last, so a release that has one is complete."""

import json
from pathlib import Path
from typing import Any

from proofmatch import __version__
from proofmatch.storage import sha256_of

from ..readers.urls import public_url
from ..settings import BuildSettings
from .schema import MANIFEST

SCHEMA_VERSION = 1


def build_parameters(settings: BuildSettings, sources: list[str]) -> dict[str, Any]:
    """List everything that decides the content of a release, apart from the content of its sources.

    Local sources go by their names: where they lie on somebody's disk is of no interest to others. URLs go
    without passwords and queries: manifests are published.
    """
    names = [public_url(source) if "://" in source else Path(source).absolute().name for source in sources]
    return {"made_by": "build", "proofmatch": __version__, "sources": names, **settings.as_dict()}


def origin(parameters: dict[str, Any]) -> dict[str, Any]:
    """Follow a variant, and a variant of a variant, back to the release that was built or imported."""
    while "variant_of" in parameters:
        parameters = parameters["variant_of"]
    return parameters


def write_manifest(release: Path, parameters: dict[str, Any], known_hashes: dict[str, str]) -> None:
    """Write the manifest of the files in a folder.

    Args:
        release: The folder.
        parameters: From `build_parameters`.
        known_hashes: Hashes that were computed while writing; the others are computed now.
    """
    files = {}
    for path in sorted(path for path in release.rglob("*") if path.is_file()):
        name = path.relative_to(release).as_posix()
        sha256 = known_hashes.get(name) or sha256_of(path)
        files[name] = {"bytes": path.stat().st_size, "sha256": sha256}
    manifest = {"schema_version": SCHEMA_VERSION, "parameters": parameters, "files": files}
    text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    (release / MANIFEST).write_text(text, encoding="utf-8")
