"""`proofmatch build`: articles → release folder."""

import argparse
import os
from pathlib import Path

from proofmatch.arguments import InsteadOf
from proofmatch.errors import printable

from ..engine.distributed.cluster import ENGINES
from ..filters import DETECTORS
from ..release.schema import MANIFEST
from ..settings import BuildSettings
from .cluster import add_cluster_arguments, cluster_of, say_submitted
from .outcome import say_complete

EXAMPLE = "proofmatch build MREC.2011.4.439.tar.bz2 --out release --workers 8"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    defaults = BuildSettings()
    sources = parser.add_argument(
        "sources",
        nargs="+",
        metavar="SOURCE",
        help="a folder, a glob, .tar[.gz|.bz2|.xz], .zip, an article, or an fsspec URL",
    )
    parser.add_argument("--out", required=True, type=Path, metavar="RELEASE", help="release folder to write")
    parser.add_argument(
        "--status",
        action=InsteadOf,
        nargs=0,
        const=True,
        default=False,
        other=sources,
        help="only tell how far the build in RELEASE is; exit code 0 if it is complete, else 1",
    )
    parser.add_argument(
        "--workers", type=int, metavar="N", help="processes (default: one a processor), or tasks at a time"
    )
    parser.add_argument("--engine", choices=ENGINES, default="local", help="where the workers run")
    parser.add_argument(
        "--min-tokens", type=int, default=defaults.min_tokens, metavar="N", help="shortest text kept"
    )
    parser.add_argument(
        "--max-tokens", type=int, default=defaults.max_tokens, metavar="N", help="longest text kept"
    )
    parser.add_argument(
        "--detector", choices=list(DETECTORS), default=defaults.detector, help="language identification"
    )
    parser.add_argument(
        "--titles",
        choices=["keep", "drop"],
        default=defaults.titles,
        help='"Lemma 2.1." and "Proof." in the texts',
    )
    parser.add_argument("--seed", type=int, default=defaults.seed, help="salt of the splits")
    parser.add_argument(
        "--max-document-mb",
        type=int,
        default=defaults.max_document_mb,
        metavar="N",
        help="discard larger documents unread",
    )
    parser.add_argument(
        "--document-seconds",
        type=float,
        default=defaults.document_seconds,
        metavar="S",
        help="discard documents that take more processor time",
    )
    parser.add_argument(
        "--license", default=defaults.license, metavar="NAME", help="the Hub's name of it, for the card"
    )
    add_cluster_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Build the release, or tell how far it is."""
    if options.status:
        return _tell_status(options)
    # A build multiplies no matrices; without this, every process starts threads to do so.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from ..build import build_release

    already = (options.out / MANIFEST).exists()
    release = build_release(
        options.sources,
        options.out,
        workers=options.workers,
        engine=options.engine,
        cluster=cluster_of(options),
        min_tokens=options.min_tokens,
        max_tokens=options.max_tokens,
        detector=options.detector,
        titles=options.titles,
        seed=options.seed,
        max_document_mb=options.max_document_mb,
        document_seconds=options.document_seconds,
        license=options.license,
    )
    if (release / MANIFEST).exists():
        say_complete(release, already)
    else:
        say_submitted(release, options)
    return 0


def _tell_status(options: argparse.Namespace) -> int:
    from ..engine.status import status_of

    status = status_of(options.out)
    print(printable(str(status)))
    return 0 if status.complete else 1
