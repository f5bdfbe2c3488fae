"""Reading: the tree of a revision, and the files themselves."""

from urllib.parse import parse_qs, quote, unquote

from .access import readable
from .exchange import Refusal, Request, Response, as_json
from .state import Blob, Commit, Hub, git_blob_id

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
    commit = readable(hub, request, kind, name).at(unquote(revision))
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


def ranged(request: Request, content: bytes, headers: dict[str, str]) -> Response:
    """Send all of a file, or the part that the request asks for."""
    headers = {"Accept-Ranges": "bytes", **headers}
    if not (asked := request.headers.get("range")):
        return Response(200, content, headers)
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
