"""Parts of pairs have what the tables of a release are made from."""

from proofmatch.builder.pair_parts import PART_SCHEMA, discarded_table
from proofmatch.builder.release.schema import CONFIGS, DISCARDED_SCHEMA


def test_parts_have_all_columns_of_the_release():
    derived = {"statement_id", "proof_id"}  # of all pairs together
    for config in CONFIGS:
        assert {*config.columns.values(), config.order} - derived <= set(PART_SCHEMA.names)


def test_discarded_rows_have_the_public_schema():
    assert discarded_table([]).schema == DISCARDED_SCHEMA
