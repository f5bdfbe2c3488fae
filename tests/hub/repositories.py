"""The API for whole repositories: who may see and change them, creation, description, refs."""

from .exchange import Refusal, Request, Response, as_json
from .metadata import SDKS, faults_of_card
from .state import Account, Blob, Hub, Repository


def account_of(hub: Hub, request: Request) -> Account | None:
    """The account behind the token; a token that does not exist is refused whatever was asked."""
    header = request.headers.get("authorization")
    if header is None:
        return None
    account = hub.accounts.get(header.removeprefix("Bearer "))
    if account is None or hub.faults.refuse_tokens:
        raise Refusal(401, "Invalid credentials in Authorization header")
    return account


def readable(hub: Hub, request: Request, kind: str, name: str) -> Repository:
    """The repository, which looks absent to whom may not see it."""
    account = account_of(hub, request)
    repository = hub.repositories.get((kind, name))
    if repository and (not repository.private or (account and owns(account, name))):
        return repository
    # Over https the clients take any such 401 for "not found"; the code makes them do so over http too.
    if account is None:
        raise Refusal(401, "Invalid username or password.", "RepoNotFound")
    raise Refusal(404, "Repository not found", "RepoNotFound")


def demand_access(hub: Hub, request: Request, repository: Repository) -> None:
    """Let only those read files of a gated repository who have accepted its terms; all may list them."""
    if repository.gated is None:
        return
    account = account_of(hub, request)
    if account is None:
        raise Refusal(401, f"Access to dataset {repository.name} is restricted. Please log in.", "GatedRepo")
    if account.user not in repository.gated and not owns(account, repository.name):
        message = f"Access to dataset {repository.name} is restricted and you are not in the authorized list."
        raise Refusal(403, message, "GatedRepo")


def writable(hub: Hub, request: Request, kind: str, name: str) -> Repository:
    repository = readable(hub, request, kind, name)
    demand_write(hub, request, name)
    return repository


def demand_write(hub: Hub, request: Request, name: str) -> None:
    account = account_of(hub, request)
    if account is None:
        raise Refusal(401, "Invalid username or password.")
    if account.role != "write" or not owns(account, name):
        raise Refusal(403, f"you don't have write access to {name}")


def owns(account: Account, name: str) -> bool:
    return name.split("/")[0] == account.user


def whoami(hub: Hub, request: Request) -> Response:
    account = account_of(hub, request)
    if account is None:
        raise Refusal(401, "Invalid username or password.")
    access_token = {"displayName": "test", "role": account.role}
    auth = {"type": "access_token", "accessToken": access_token}
    return as_json({"type": "user", "name": account.user, "orgs": [], "auth": auth})


def validate_card(hub: Hub, request: Request) -> Response:
    account_of(hub, request)
    body = request.json()
    errors, warnings = faults_of_card(body["content"], body.get("repoType", "model"))
    if errors and request.headers.get("accept") == "text/plain":
        return Response(400, "\n".join(errors).encode(), {"Content-Type": "text/plain; charset=utf-8"})
    listed = {
        "errors": [{"message": error} for error in errors],
        "warnings": [{"message": warning} for warning in warnings],
    }
    if errors:
        raise Refusal(400, "Invalid metadata in README.md", **listed)
    return as_json(listed)


def create(hub: Hub, request: Request) -> Response:
    kind, name = _named(hub, request)
    demand_write(hub, request, name)
    url = f"{hub.url}/{_prefix(kind)}{name}"
    if (kind, name) in hub.repositories:
        raise Refusal(409, "You already created this repo", url=url)
    sdk = request.json().get("sdk")
    if kind == "spaces" and sdk not in SDKS:
        raise Refusal(400, f'"sdk" must be one of [{", ".join(sorted(SDKS))}]')
    files = _first_files(name, sdk) if kind == "spaces" else {}
    hub.create(kind, name, private=request.json().get("visibility") == "private", files=files)
    return as_json({"url": url, "name": name})


def delete(hub: Hub, request: Request) -> Response:
    kind, name = _named(hub, request)
    writable(hub, request, kind, name)
    del hub.repositories[kind, name]
    return as_json({})


def describe(hub: Hub, request: Request, kind: str, name: str, revision: str) -> Response:
    repository = readable(hub, request, kind, name)
    commit = repository.at(revision)
    siblings = []
    for path, blob in sorted(commit.files.items()):
        sibling: dict[str, object] = {"rfilename": path}
        if "blobs" in request.query:
            sibling |= {"size": blob.size if blob.sha256 else len(blob.content), "blobId": blob.oid}
            if blob.sha256:
                pointer_size = len(blob.pointer)
                sibling["lfs"] = {"sha256": blob.sha256, "size": blob.size, "pointerSize": pointer_size}
        siblings.append(sibling)
    return as_json(
        {
            "id": name,
            "modelId": name,
            "author": name.split("/")[0],
            "sha": commit.oid,
            "private": repository.private,
            "gated": False if repository.gated is None else "auto",
            "disabled": False,
            "createdAt": repository.history("main")[-1].date,
            "lastModified": commit.date,
            "tags": [],
            "downloads": 0,
            "likes": 0,
            "siblings": siblings,
        }
    )


def refs(hub: Hub, request: Request, kind: str, name: str) -> Response:
    repository = readable(hub, request, kind, name)

    def listed(references: dict[str, str], folder: str) -> list[dict[str, str]]:
        return [
            {"name": reference, "ref": f"refs/{folder}/{reference}", "targetCommit": oid}
            for reference, oid in references.items()
        ]

    branches, tags = listed(repository.branches, "heads"), listed(repository.tags, "tags")
    return as_json({"branches": branches, "tags": tags, "converts": [], "pullRequests": []})


def commits(hub: Hub, request: Request, kind: str, name: str, revision: str) -> Response:
    repository = readable(hub, request, kind, name)
    return as_json(
        [
            {
                "id": commit.oid,
                "title": commit.title,
                "message": commit.message,
                "date": commit.date,
                "authors": [{"user": name.split("/")[0]}],
            }
            for commit in repository.history(revision)
        ]
    )


def change_tag(hub: Hub, request: Request, kind: str, name: str, revision: str) -> Response:
    """Tag a revision, or delete the tag of that name."""
    repository = writable(hub, request, kind, name)
    if request.method == "DELETE":
        return _forget(repository.tags, revision)
    return _point(repository.tags, request.json()["tag"], repository, revision)


def change_branch(hub: Hub, request: Request, kind: str, name: str, branch: str) -> Response:
    repository = writable(hub, request, kind, name)
    if request.method == "DELETE":
        return _forget(repository.branches, branch)
    return _point(repository.branches, branch, repository, request.json().get("startingPoint", "main"))


def _point(references: dict[str, str], name: str, repository: Repository, revision: str) -> Response:
    if name in references:
        raise Refusal(409, f"Reference {name} already exists")
    references[name] = repository.at(revision).oid
    return as_json({})


def _forget(references: dict[str, str], name: str) -> Response:
    if references.pop(name, None) is None:
        raise Refusal(404, f"Invalid rev id: {name}", "RevisionNotFound")
    return as_json({})


def _named(hub: Hub, request: Request) -> tuple[str, str]:
    body, account = request.json(), account_of(hub, request)
    owner = body.get("organization") or (account.user if account else "")
    return f"{body.get('type') or 'model'}s", f"{owner}/{body['name']}"


def _first_files(name: str, sdk: str) -> dict[str, Blob]:
    """What a new Space has: a card, and a page if it is a static one."""
    card = f"---\ntitle: {name.split('/')[1]}\ncolorFrom: red\ncolorTo: blue\nsdk: {sdk}\n---\n"
    files = {"README.md": Blob(card.encode())}
    if sdk == "static":
        files |= {"index.html": Blob(b"<h1>Welcome</h1>\n"), "style.css": Blob(b"h1 { color: red; }\n")}
    return files


def _prefix(kind: str) -> str:
    return "" if kind == "models" else f"{kind}/"
