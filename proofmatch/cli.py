"""The `proofmatch` command: finds the subcommand's module, runs it, and reports failures in one sentence."""

import argparse
import importlib
import os
import signal
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from . import __doc__ as DESCRIPTION  # noqa: N812 - it is a constant here
from . import __version__
from .errors import ProofmatchError, printable, quoted
from .processors import configure_threads

# Subcommand → (module with `add_arguments` and `run`, one line of help). Modules are imported only when
# chosen, so that `proofmatch --help` answers at once.
COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("proofmatch.training.commands.demo", "try everything on the embedded sample, in under a minute"),
    "build": ("proofmatch.builder.commands.build", "build a release from articles or LaTeX sources"),
    "import": ("proofmatch.builder.commands.import_published", "make a release of the published text files"),
    "variant": ("proofmatch.builder.commands.make_variant", "rename the variables in a release's proofs"),
    "stats": ("proofmatch.builder.commands.stats", "print the two statistics tables of a release"),
    "seal": (
        "proofmatch.builder.commands.seal_release",
        "withhold the answers of the test split",
    ),
    "check": ("proofmatch.builder.commands.check", "check a release for faults and leaks"),
    "baseline": (
        "proofmatch.evaluation.commands.baseline",
        "match a split with TF-IDF, BM25 or Dice similarity",
    ),
    "train": ("proofmatch.training.commands.train", "train a matcher on a release"),
    "predict": ("proofmatch.training.commands.predict", "match a split with a trained matcher"),
    "search": ("proofmatch.training.commands.search", "find proofs for a statement of your own"),
    "serve": (
        "proofmatch.training.commands.serve",
        "serve the search as a web page, an API or a tool for assistants",
    ),
    "match": ("proofmatch.evaluation.commands.match", "make any scored predictions one-to-one"),
    "evaluate": ("proofmatch.evaluation.commands.evaluate", "score predictions"),
    "report": ("proofmatch.evaluation.commands.report", "write a page that shows every wrong match"),
    "leaderboard": ("proofmatch.evaluation.commands.leaderboard", "make a static site from result files"),
    "export": (
        "proofmatch.evaluation.commands.export_release",
        "convert a release for other retrieval tools",
    ),
    "push": ("proofmatch.builder.commands.push_release", "upload a release to the Hugging Face Hub"),
}

# Packages that are not part of the base installation, and the extra that has them.
EXTRAS: dict[str, str] = {
    package: extra
    for extra, packages in {
        "train": "torch transformers tokenizers safetensors accelerate tensorboard snowballstemmer",
        "serve": "starlette uvicorn h11 pydantic mcp mcp_types anyio",
        "distributed": "datatrove ray",
    }.items()
    for package in packages.split()
}

INTERRUPTED = 130  # what shells report for a program ended by Ctrl-C


class HelpFormatter(argparse.RawDescriptionHelpFormatter, argparse.ArgumentDefaultsHelpFormatter):
    """Keeps the layout of the example, and shows the default of every option that has one."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        is_telling = action.default is not None and action.default is not False and action.default != []
        return super()._get_help_string(action) if is_telling else action.help


class InsteadOf(argparse.Action):
    """An option that may be given instead of a positional argument.

    If the positional argument were optional from the start, argparse would not find it after options.
    """

    def __init__(self, other: argparse.Action, **settings: Any) -> None:  # noqa: ANN401 - argparse's own
        super().__init__(**settings)
        self._other = other

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Store the value, and make the positional argument optional."""
        del parser, option_string
        self._other.required = False
        setattr(namespace, self.dest, values if self.nargs is None else self.const)


def make_parser(chosen: str | None) -> argparse.ArgumentParser:
    """Make the argument parser, with the details of the `chosen` subcommand only."""
    parser = argparse.ArgumentParser(prog="proofmatch", description=DESCRIPTION)
    parser.add_argument("--version", action="version", version=f"proofmatch {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, (module_name, summary) in COMMANDS.items():
        subparser = subparsers.add_parser(
            name,
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            formatter_class=HelpFormatter,
            allow_abbrev=False,
        )
        if name == chosen:
            module = importlib.import_module(module_name)
            subparser.epilog = f"example:\n  {module.EXAMPLE}"
            module.add_arguments(subparser)
            subparser.set_defaults(run=module.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0, 1 for a failed check, 2 for bad usage or input."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    chosen = next((argument for argument in arguments if not argument.startswith("-")), None)
    if chosen is not None and chosen not in COMMANDS:
        near = get_close_matches(chosen, COMMANDS, 1)
        hint = f"did you mean {near[0]}?" if near else "`proofmatch --help` lists the commands"
        print(f"proofmatch: there is no command {quoted(chosen)}; {hint}", file=sys.stderr)
        return ProofmatchError.exit_code
    configure_threads()  # before the command imports a library that has threads
    try:
        options = make_parser(chosen).parse_args(arguments)
        return options.run(options)
    except ProofmatchError as error:
        print(f"proofmatch {chosen}: {printable(str(error))}", file=sys.stderr)
        return error.exit_code
    except ModuleNotFoundError as error:
        if error.name not in EXTRAS:
            raise
        message = f"{error.name} is not installed; run pip install 'proofmatch[{EXTRAS[error.name]}]'"
        print(f"proofmatch {chosen}: {message}", file=sys.stderr)
        return ProofmatchError.exit_code
    except BrokenPipeError:
        # The reader of our output has closed the pipe (`proofmatch stats … | head`), so exit quietly.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt as interrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not interrupt the exit
        remedy = str(interrupt) or "run the same command again"
        print(f"proofmatch {chosen}: interrupted; {remedy}", file=sys.stderr)
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
