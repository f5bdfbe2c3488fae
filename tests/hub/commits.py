"""Writing: how files are to travel, where large ones go, and the commit that names them all."""

import base64
import json

from .access import readable, writable
from .exchange import Refusal, Request, Response, as_json
from .metadata import faults_of_card
from .state import Blob, Hub

LARGE = 1_000_000  # bytes from which a file goes to the storage, whatever its name
LARGE_ENDINGS = (".parquet", ".safetensors", ".bin")


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
