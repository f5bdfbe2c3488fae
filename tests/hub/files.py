"""The API about files: the tree of a revision, reading, and commits with their large files."""

import base64
import json
from mmap import mmap
from urllib.parse import parse_qs, quote, unquote

from .exchange import Refusal, Request, Response, as_json
from .metadata import faults_of_card
from .repositories import demand_access, readable, writable
from .state import Blob, Commit, Hub, git_blob_id

LARGE = 1_000_000  # bytes from which a file goes to the storage, whatever its name
LARGE_ENDINGS = (".parquet", ".safetensors", ".bin")
PAGE = 10  # entries of a tree in one answer; far fewer than the Hub's, so that clients have to turn pages


def tree(hub: Hub, request: Request, kind: str, name: str, revision: str, folder: str = "") -> Response:
    commit = readable(hub, request, kind, name).at(revision)
    prefix = f"{folder}/" if folder else ""
    inside = {path: blob for path, blob in commit.files.items() if path.startswith(prefix)}
    if folder and not inside:
        raise Refusal(404, f"{folder} does not exist on {revision}", "EntryNotFound")
    entries = [_file_entry(path, blob, commit) for path, blob in inside.items()]
    folders = {parent for path in inside for parent in _parents(path) if parent.startswith(prefix)}
    entries += [_folder_entry(path, commit) for path in folders]
    if request.query.get("recursive", ["false"])[0].lower() != "true":
        entries = [entry for entry in entries if "/" not in entry["path"].removeprefix(prefix)]
    entries.sort(key=lambda entry: entry["path"])
    start = int(request.query.get("cursor", ["0"])[0])
    headers = {}
    if len(entries) > start + PAGE:
        others = "".join(
            f"&{key}={quote(values[0])}" for key, values in request.query.items() if key != "cursor"
        )
        headers["Link"] = f'<{hub.url}{request.path}?cursor={start + PAGE}{others}>; rel="next"'
    return as_json(entries[start : start + PAGE], headers=headers)


def paths_info(hub: Hub, request: Request, kind: str, name: str, revision: str) -> Response:
    commit = readable(hub, request, kind, name).at(revision)
    folders = {parent for path in commit.files for parent in _parents(path)}
    entries = []
    for path in parse_qs(request.body.decode()).get("paths", []):
        if path in commit.files:
            entries.append(_file_entry(path, commit.files[path], commit))
        elif path in folders:
            entries.append(_folder_entry(path, commit))
    return as_json(entries)


def resolve(hub: Hub, request: Request, kind: str, name: str, revision: str, path: str) -> Response:
    """Send a regular file, or tell where in the storage a large one is."""
    repository = readable(hub, request, kind, name)
    demand_access(hub, request, repository)
    commit = repository.at(unquote(revision))
    blob = commit.files.get(unquote(path))
    headers = {"X-Repo-Commit": commit.oid}
    if blob is None:
        refusal = Refusal(404, "Entry not found", "EntryNotFound")
        refusal.response.headers.update(headers)
        raise refusal
    if blob.sha256:
        headers |= {
            "Location": f"{hub.storage_url}/{blob.sha256}?signature=get",
            "X-Linked-Etag": f'"{blob.sha256}"',
            "X-Linked-Size": str(blob.size),
        }
        return Response(302, headers=headers)
    return ranged(request, blob.content, headers | {"ETag": f'"{blob.oid}"'})


def ranged(request: Request, content: bytes | mmap, headers: dict[str, str]) -> Response:
    """Send all of a file, or the part that the request asks for."""
    headers = {"Accept-Ranges": "bytes", **headers}
    if not (asked := request.headers.get("range")):
        return Response(200, content, headers)  # pyright: ignore[reportArgumentType] - a buffer, too
    first, _, last = asked.removeprefix("bytes=").partition("-")
    start = int(first) if first else max(0, len(content) - int(last))
    end = min(int(last), len(content) - 1) if first and last else len(content) - 1
    if start > end:
        return Response(416, headers={"Content-Range": f"bytes */{len(content)}"})
    headers["Content-Range"] = f"bytes {start}-{end}/{len(content)}"
    return Response(206, content[start : end + 1], headers)


def _file_entry(path: str, blob: Blob, commit: Commit) -> dict:
    entry = {"type": "file", "path": path, "oid": blob.oid, "size": blob.size or len(blob.content)}
    if blob.sha256:
        entry["lfs"] = {"oid": blob.sha256, "size": blob.size, "pointerSize": len(blob.pointer)}
    return entry | {"lastCommit": {"id": commit.oid, "title": commit.title, "date": commit.date}}


def _folder_entry(path: str, commit: Commit) -> dict:
    return {
        "type": "directory",
        "path": path,
        "oid": git_blob_id(path.encode() + commit.oid.encode()),
        "size": 0,
    }


def _parents(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[: depth + 1]) for depth in range(len(parts))]


def preupload(hub: Hub, request: Request, kind: str, name: str, revision: str) -> Response:
    commit = writable(hub, request, kind, name).at(revision)
    answers = []
    for file in request.json()["files"]:
        large = file["path"].endswith(LARGE_ENDINGS) or file["size"] >= LARGE
        answer = {"path": file["path"], "uploadMode": "lfs" if large else "regular", "shouldIgnore": False}
        if blob := commit.files.get(file["path"]):
            answer["oid"] = blob.sha256 or blob.oid
        answers.append(answer)
    return as_json({"files": answers})


def batch(hub: Hub, request: Request, kind: str, name: str) -> Response:
    """Tell where to put the objects that the storage does not have yet."""
    body = request.json()
    (writable if body["operation"] == "upload" else readable)(hub, request, kind, name)
    prefix = "" if kind == "models" else f"{kind}/"
    answers = []
    for item in body["objects"]:
        answer = {"oid": item["oid"], "size": item["size"], "authenticated": True}
        if item["oid"] not in hub.objects:
            answer["actions"] = {
                "upload": {"href": f"{hub.storage_url}/{item['oid']}?signature=put"},
                "verify": {"href": f"{hub.url}/{prefix}{name}.git/info/lfs/objects/verify"},
            }
        answers.append(answer)
    return as_json({"transfer": "basic", "objects": answers})


def verify(hub: Hub, request: Request, kind: str, name: str) -> Response:
    writable(hub, request, kind, name)
    item = request.json()
    if len(hub.objects.get(item["oid"], b"")) != item["size"]:
        raise Refusal(404, f"Object {item['oid']} was not uploaded")
    return as_json({})


def commit(hub: Hub, request: Request, kind: str, name: str, revision: str) -> Response:
    repository = writable(hub, request, kind, name)
    if revision not in repository.branches:
        raise Refusal(404, f"Invalid rev id: {revision}", "RevisionNotFound")
    operations = [json.loads(line) for line in request.body.splitlines() if line.strip()]
    header = operations.pop(0)["value"]
    head = repository.at(revision)
    if header.get("parentCommit") not in (None, head.oid):
        raise Refusal(412, "A commit has happened since. Please refresh and try again.")
    files = dict(head.files)
    for operation in operations:
        _apply(hub, operation["key"], operation["value"], files)
    if "README.md" in files:
        errors, _ = faults_of_card(files["README.md"].content.decode(), kind.removesuffix("s"))
        if errors:
            raise Refusal(400, f"Invalid metadata in README.md: {errors[0]}")
    files |= {path: hub.damaged(files[path]) for path in hub.faults.corrupt if path in files}
    made = repository.commit(revision, files, header["summary"], header.get("description", ""))
    if hub.faults.lose_commits:
        raise ConnectionResetError
    url = f"{hub.url}/{'' if kind == 'models' else f'{kind}/'}{name}/commit/{made.oid}"
    return as_json({"success": True, "commitOid": made.oid, "commitUrl": url, "hookOutput": ""})


def _apply(hub: Hub, key: str, value: dict, files: dict[str, Blob]) -> None:
    path = value["path"]
    if key == "file":
        files[path] = Blob(base64.b64decode(value["content"]))
        hub.arrived.append(path)
    elif key == "lfsFile":
        if value["oid"] not in hub.objects:
            raise Refusal(400, f"LFS pointer of {path} points to a file that does not exist")
        files[path] = Blob(sha256=value["oid"], size=len(hub.objects[value["oid"]]))
    elif key == "deletedFile":
        if files.pop(path, None) is None:
            raise Refusal(404, f"A file with this name doesn't exist: {path}", "EntryNotFound")
    elif key == "deletedFolder":
        for inside in [file for file in files if file.startswith(path.rstrip("/") + "/")]:
            del files[inside]
    else:
        raise Refusal(400, f"Unknown operation {key}")
