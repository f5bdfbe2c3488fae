"""Reads the Parquet files of a release once, a few thousand rows at a time, into what the checks work on."""

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ..release.schema import ROW_GROUP, Config
from .defects import UNREADABLE, WrongSchema, compare_schemas, defective_rows
from .hashing import hash_sequences, hash_strings
from .remarks import Fault
from .tables import CONFIG_BY_NAME, IDS, SIDES, Key, Table
from .texts import TextCollector
from .values import wrong_values
from .vocabulary import Vocabulary


class Reader:
    """Reads tables and remembers what they share.

    Args:
        release: The folder.
        tick: Called now and then with what is being read.

    Attributes:
        faults: What was wrong with the files and their rows.
        vocabulary: All tokens.
        collected: Texts of the pairs, statements and proofs apart.
    """

    def __init__(self, release: Path, tick: Callable[[str], None]) -> None:
        self.faults: list[Fault] = []
        self.vocabulary = Vocabulary()
        self.collected = {side: TextCollector() for side in SIDES}
        self._release = release
        self._tick = tick
        self._categories = Vocabulary()

    def read(self, key: Key, files: list[Path]) -> Table | None:
        """Read a table, or None if one of its files cannot be read."""
        pieces: list[Table] = []
        readable = True
        for file in files:
            try:
                pieces.extend(self._read_file(CONFIG_BY_NAME[key[0]], file))
            except (*UNREADABLE, WrongSchema) as error:
                message = " ".join(str(error).split())
                self.faults.append(Fault(f"{self._name(file)} cannot be used: {message}"))
                readable = False
        return Table.joined(pieces, key[0]) if readable and files else None

    def _read_file(self, config: Config, file: Path) -> Iterator[Table]:
        compare_schemas(pq.read_schema(file), config.schema)
        columns = pq.read_metadata(file).schema
        lists = [path for number in range(len(columns)) if "." in (path := columns.column(number).path)]
        defects: dict[str, list[str]] = {}
        # Dictionary-encoded as they are in the file, tokens take a tenth of the time to read.
        with pq.ParquetFile(file, read_dictionary=lists) as parquet:
            for batch in parquet.iter_batches(batch_size=ROW_GROUP):
                self._tick(self._name(file))
                batch.validate(
                    full=True
                )  # a damaged file can have decoded to something that is no Arrow data
                found = defective_rows(batch, config.schema)
                if "kind" in config.columns:
                    found = chain(found, wrong_values(batch))
                for what, rows in found:
                    ids = batch.column(0).filter(pa.array(rows)).to_pylist()
                    defects.setdefault(what, []).extend(str(name) for name in ids)
                yield self._digest(batch, config, file)
        for what, ids in defects.items():
            self.faults.append(Fault.about(f"{self._name(file)} has rows with {what}", ids))

    def _digest(self, batch: pa.RecordBatch, config: Config, file: Path) -> Table:
        ids, hashes = {}, {}
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            if name in IDS:
                ids[name] = column.fill_null("")
            elif pa.types.is_list(column.type):
                is_tokens = name.endswith("tokens")
                vocabulary = self.vocabulary if is_tokens else self._categories
                numbers, starts = vocabulary.encode(column, file)
                hashes[name] = hash_sequences(vocabulary.hashes[numbers], starts)
                if is_tokens and "article_id" in config.columns:  # the task's tables have the same texts
                    self.collected[name.removesuffix("_tokens")].add(hashes[name], numbers, starts)
            else:
                hashes[name] = hash_strings(column)
        return Table(ids, hashes)

    def _name(self, file: Path) -> str:
        return file.relative_to(self._release).as_posix()
