"""Who may see and change what, and how the Hub says no."""

from .exchange import Refusal, Request
from .state import Account, Hub, Repository


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
