"""`proofmatch synthesize`: made-up articles with the statistics of the paper's tables."""

import argparse
from pathlib import Path

from ..synthetic.generations import GENERATIONS
from ..synthetic.languages import LANGUAGES
from ..synthetic.settings import SyntheticSettings

EXAMPLE = "proofmatch synthesize --documents 10000 --out articles.tar.bz2"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    defaults = SyntheticSettings()
    parser.add_argument(
        "--out",
        required=True,
        type=Path,
        metavar="PATH",
        help="a folder, or .tar[.gz|.bz2|.xz]; not there yet",
    )
    parser.add_argument("--documents", type=int, default=defaults.documents, metavar="N", help="how many")
    parser.add_argument("--seed", type=int, default=defaults.seed, help="another one gives other articles")
    shares = {
        "damaged": "documents that cannot be read",
        "with-pairs": "readable documents with pairs to keep",
        "foreign": "readable documents with pairs in other languages",
        "outside": "pairs that are too short or too long",
    }
    for name, what in shares.items():
        default = getattr(defaults, name.replace("-", "_"))
        parser.add_argument(
            f"--{name}", type=float, default=default, metavar="SHARE", help=f"share of {what}"
        )
    parser.add_argument(
        "--languages", nargs="+", default=list(LANGUAGES), metavar="CODE", help="the other languages"
    )
    parser.add_argument(
        "--markup", nargs="+", default=list(GENERATIONS), metavar="NAME", help="kinds of markup to write"
    )
    parser.add_argument(
        "--kilobytes", type=float, default=defaults.kilobytes, metavar="KB", help="mean size of a document"
    )
    parser.add_argument(
        "--manifest",
        type=Path,
        metavar="FILE",
        help="also write synthetic.json here, so that nobody has to unpack the archive for it",
    )
    parser.add_argument("--workers", type=int, metavar="N", help="processes (default: one a processor)")


def run(options: argparse.Namespace) -> int:
    """Make up the articles."""
    from ..synthetic.writing import synthesize, write_manifest

    settings = SyntheticSettings(
        documents=options.documents,
        seed=options.seed,
        damaged=options.damaged,
        with_pairs=options.with_pairs,
        foreign=options.foreign,
        outside=options.outside,
        languages=tuple(options.languages),
        generations=tuple(options.markup),
        kilobytes=options.kilobytes,
    )
    manifest = synthesize(settings, options.out, options.workers)
    if options.manifest:
        write_manifest(manifest, options.manifest)
    documents, pairs = manifest["documents"], manifest["pairs"]
    print(
        f"{options.out} has {documents['all']:,} documents, {documents['with_pairs']:,} of them with "
        f"{pairs['kept']:,} pairs to keep; `proofmatch build {options.out} --out release` finds them"
    )
    return 0
