"""Many clients at once: all of them are answered, or told to try again."""

from proofmatch.builder.release.release import open_release
from tests.benchmarks.serving import BUSY, put_under_load


def test_under_load_every_answer_is_a_result_or_a_clean_refusal(served, release):
    statements = open_release(release).table("pairs", "test", ["statement"])["statement"].to_pylist()
    load = put_under_load(served.port, statements, clients=20, seconds=4)
    assert load.failures == []
    assert set(load.statuses) <= {200, *BUSY}
    assert load.statuses[200] > 0
    assert sum(load.statuses[status] for status in BUSY) > 0
    assert served.service._n_unanswered == 0
    assert served.search().status == 200
