"""`proofmatch export`: a release for BEIR, sentence-transformers and mteb."""

import argparse
from pathlib import Path

from proofmatch.errors import ProofmatchError

from .arguments import add_split_arguments, positive

EXAMPLE = "proofmatch export release --format beir --split test --out beir-test"

# The options that apply to each format.
_OPTIONS = {
    "beir": {"split"},
    "triplets": {"negatives", "seed", "ngrams"},
    "top_ranked": {"ngrams"},
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    from ..export import DEFAULT_NEGATIVES

    add = parser.add_argument
    add("release", metavar="RELEASE", help="release folder, or OWNER/NAME[@REVISION] on the Hub")
    add(
        "--format",
        choices=list(_OPTIONS),
        default="beir",
        help="a split for BEIR, mteb and pyserini (beir); training rows with hard negatives for "
        "sentence-transformers (triplets); the best 100 candidates for mteb's reranking (top_ranked)",
    )
    add("--out", metavar="DIR", type=Path, required=True, help="folder to make")
    add_split_arguments(parser)
    # No defaults here, so that options that have no effect can be refused.
    parser.set_defaults(split=None)
    add(
        "--negatives",
        type=positive,
        metavar="K",
        help=f"wrong proofs for each pair of triplets (default: {DEFAULT_NEGATIVES})",
    )
    add("--seed", type=int, help="seed of the random negatives in triplets (default: 0)")
    add(
        "--ngrams",
        type=positive,
        metavar="N",
        help="BM25 counts n-grams of 1 to N tokens (default: the best on the validation split)",
    )


def run(options: argparse.Namespace) -> int:
    """Write the folder."""
    from ...builder.release.release import open_release
    from ..export import export_beir, export_top_ranked, export_triplets

    names = set().union(*_OPTIONS.values())
    given = {name: value for name in names if (value := getattr(options, name)) is not None}
    if wrong := sorted(given.keys() - _OPTIONS[options.format]):
        raise ProofmatchError(f"--{wrong[0]} does not apply to {options.format}: leave it out")
    release, out, by_article = open_release(options.release), options.out, options.by_article
    if options.format == "beir":
        count = export_beir(release, out, **given, by_article=by_article)
        print(f"{out}: {count:,} statements and as many proofs of {given.get('split', 'test')}")
    elif options.format == "triplets":
        count = export_triplets(release, out, **given, by_article=by_article)
        print(f"{out}: {count:,} triplets of train; open them with datasets.load_dataset({str(out)!r})")
    else:
        shares = export_top_ranked(release, out, **given, by_article=by_article)
        for split, share in shares.items():
            has_gold = "sealed" if share is None else f"{share:.1%} of the lists have the right proof"
            print(f"{out}: the best proofs for each statement of {split}; {has_gold}")
    return 0
