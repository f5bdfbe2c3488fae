"""Changes to a release folder that leave it a complete release, and what a release consists of."""

import hashlib
import json
from pathlib import Path

from proofmatch.builder.release.benchmark import EVAL_FILE, eval_yaml
from proofmatch.builder.release.release import open_release
from tests.hub.state import Hub

REPOSITORY = "ada/statement-proof-matching"


def names(folder: Path) -> set[str]:
    """What belongs to the release."""
    return {*json.loads((folder / "manifest.json").read_text())["files"], "manifest.json"}


def rewrite(folder: Path, name: str, content: bytes) -> None:
    """Change or add a file, and its entry in the manifest."""
    (folder / name).write_bytes(content)
    _edit(folder, name, {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()})


def card_with_unknown_license(folder: Path) -> bytes:
    """The card of the release, with a license that the Hub does not know."""
    lines = (folder / "README.md").read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith("license")]
    return "".join([kept[0], "license: my-own\n", *kept[1:]]).encode()


def remove(folder: Path, name: str) -> None:
    (folder / name).unlink()
    _edit(folder, name, None)


def travelled(hub: Hub, folder: Path) -> set[str]:
    """Names of the files whose content arrived since traffic was forgotten."""
    by_hash = {hashlib.sha256(content).hexdigest(): name for name, content in local(folder).items()}
    return {by_hash.get(item, item) for item in hub.arrived}


def held(hub: Hub, revision: str = "main") -> dict[str, bytes]:
    """The files of the repository."""
    return {path: hub.content(blob) for path, blob in hub.dataset(REPOSITORY).at(revision).files.items()}


def local(folder: Path) -> dict[str, bytes]:
    """What a push puts into the repository."""
    files = {name: (folder / name).read_bytes() for name in names(folder)}
    return files | {EVAL_FILE: eval_yaml(open_release(folder)).encode()}


def _edit(folder: Path, name: str, entry: dict[str, object] | None) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"].pop(name, None)
    if entry:
        manifest["files"][name] = entry
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2))
