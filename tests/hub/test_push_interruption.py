"""However a push ends, the next one finishes it without resending files that have arrived."""

import os
import signal

from tests.hub.releases import REPOSITORY, held, local, travelled
from tests.hub.state import Blob


def finish(hub, owner, folder, before: set[str]) -> None:
    """Push again, and see that the rest of the release came, and nothing twice."""
    hub.forget_traffic()
    push = owner.proofmatch("push", str(folder), REPOSITORY, "--tag", "v1.0")
    assert push.returncode == 0, push.stderr
    assert travelled(hub, folder) == set(local(folder)) - before
    expected = local(folder)
    assert {name: content for name, content in held(hub, "v1.0").items() if name in expected} == expected
    assert len(hub.dataset(REPOSITORY).commits) == 2


def test_a_single_broken_upload_is_retried(hub, owner, folder):
    hub.faults.cut_from = hub.faults.cut_until = 3
    push = owner.proofmatch("push", str(folder), REPOSITORY, patient=False)
    assert push.returncode == 0, push.stderr
    uploads = [request.path for request in hub.requests if request.method == "PUT"]
    assert len(uploads) == len(set(uploads)) + 1
    assert travelled(hub, folder) == set(local(folder))


def test_a_broken_connection_ends_the_push_and_the_next_continues(hub, owner, folder):
    hub.faults.cut_from = 6
    push = owner.proofmatch("push", str(folder), REPOSITORY, patient=False)
    assert push.returncode == 2
    assert "the connection to the Hub failed" in push.stderr
    assert "Retrying in 8s" in push.stderr
    assert "://" not in push.stderr  # addresses in the storage are signed
    before = travelled(hub, folder)
    assert 0 < len(before) <= 5
    finish(hub, owner, folder, before)


def test_a_killed_push_is_finished_by_the_next(hub, owner, folder):
    hub.faults.stall_at = 9
    push = owner.start_proofmatch("push", str(folder), REPOSITORY, "--tag", "v1.0")
    assert hub.faults.stalled.wait(60)
    os.kill(push.pid, signal.SIGKILL)
    push.wait()
    hub.faults.resume.set()
    before = travelled(hub, folder)
    assert 0 < len(before) < len(set(local(folder)))
    finish(hub, owner, folder, before)


def test_a_commit_whose_answer_was_lost_is_not_made_twice(hub, owner, folder):
    hub.faults.lose_commits = True
    push = owner.proofmatch("push", str(folder), REPOSITORY, "--tag", "v1.0")
    assert push.returncode == 2
    assert "the connection to the Hub failed" in push.stderr
    finish(hub, owner, folder, set(local(folder)))


def test_the_commit_of_somebody_else_in_between_is_not_overwritten(hub, owner, folder):
    hub.faults.stall_at = 2
    push = owner.start_proofmatch("push", str(folder), REPOSITORY)
    assert hub.faults.stalled.wait(60)
    repository = hub.dataset(REPOSITORY)
    repository.commit(
        "main", {**repository.at("main").files, "README.md": Blob(b"by somebody")}, "Mine first"
    )
    hub.faults.resume.set()
    push.wait()
    assert push.returncode == 2
    assert repository.at("main").title == "Mine first"
