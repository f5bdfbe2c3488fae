"""The sandbox of LaTeXML: what it may open and use, and a test that the sandbox works on this machine.

A TeX source can name any file, address or program. The sandbox has two layers. `ProofmatchWall.pm`, loaded
before LaTeXML, lets Perl open only the source's own folder and Perl's libraries and write only its results;
it runs no Perl code of a source, no programs and no connections. The kernel's Landlock enforces the same.
"""

import contextlib
import os
import resource
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from proofmatch.errors import ProofmatchError, one_line
from proofmatch.workers import signal_on_parent_death

from .landlock import restrict_self, ruleset

PROGRAM = "latexmlc"
MISSING = (
    "the sources are in LaTeX, and LaTeXML, which converts them, is not installed; "
    "install it (Debian's package `latexml`), or give only converted articles, such as '**/*.xhtml'"
)

# CPU time is limited by the kernel. A process that waits instead is killed after this much real time.
_PATIENCE = 4.0  # times the limit …
_GRACE = 10.0  # … and some seconds

_LARGEST_FILE = 1 << 28  # of LaTeXML's results
_LONGEST_LOG = 1 << 16  # as much of its end is read
_DEVICES = (Path("/dev/null"),)
_PROOF_SECONDS, _PROOF_MB = 60.0, 1024

# Tries what sources must not be able to do. The theorem at its end shows that it was converted.
_PROOF = r"""\documentclass{article}
\usepackage{outside}
\newtheorem{theorem}{Theorem}
\begin{document}
\input{%(canary)s}
\input{../canary.tex}
\newread\file \openin\file=%(canary)s \ifeof\file\else\read\file to\line \line\fi
\input{pgfmath.code.tex}\csname pgfmathparse\endcsname{CORE::open(my $f, '<', '%(canary)s') && <$f>}
\csname pgfmathresult\endcsname
\begin{theorem}\input{inside}\end{theorem}
\end{document}
"""
# A binding beside the source: Perl code, which LaTeXML would run.
_BINDING = "package LaTeXML::Package::Pool; CORE::open(my $f, '>', '%(written)s'); print $f 'run'; 1;"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one conversion may use: seconds of CPU time, and mebibytes of memory."""

    seconds: float
    megabytes: int


@dataclass(frozen=True, slots=True)
class Ended:
    """How a conversion ended.

    Attributes:
        status: The exit status, or the negative number of the signal that ended it.
        overdue: Whether it was killed because it took too long in real time.
        log: The end of LaTeXML's log, and of what it wrote to standard error.
    """

    status: int
    overdue: bool
    log: str


@dataclass(frozen=True, slots=True)
class Scratch:
    """The folder of one conversion: what LaTeXML may read, and what it may write."""

    folder: Path

    @property
    def source(self) -> Path:
        """Where the files of the source are."""
        return self.folder / "source"

    @property
    def results(self) -> Path:
        """Where LaTeXML writes."""
        return self.folder / "results"

    @property
    def document(self) -> Path:
        """The converted document."""
        return self.results / "document.xhtml"

    def write(self, files: dict[str, bytes]) -> None:
        """Write the files of a source; names must be relative and clean."""
        self.results.mkdir(parents=True)
        self.source.mkdir()
        for name, content in files.items():
            path = self.source / name
            with contextlib.suppress(FileExistsError, NotADirectoryError, IsADirectoryError):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)


def find_latexml() -> str:
    """Find the program that converts.

    Raises:
        ProofmatchError: If it is not installed.
    """
    program = shutil.which(PROGRAM)
    if program is None:
        raise ProofmatchError(MISSING)
    return program


@cache
def latexml_version() -> str:
    """Ask LaTeXML for its version.

    Raises:
        ProofmatchError: If it is not installed, or does not run.
    """
    asked = subprocess.run(
        [find_latexml(), "--VERSION"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    _, found, version = (asked.stdout + asked.stderr).partition("LaTeXML version ")
    if asked.returncode or not found:
        raise ProofmatchError(
            f"{PROGRAM} does not run ({one_line(asked.stderr) or asked.returncode}); install LaTeXML again"
        )
    return version.split(")")[0].split(";")[0].strip()


@cache
def _libraries() -> tuple[Path, ...]:
    """List the folders with Perl, LaTeXML and the libraries they load."""
    programs = [Path(found).resolve() for name in (PROGRAM, "perl") if (found := shutil.which(name))]
    folders = [Path("/lib"), Path("/lib64"), Path("/etc/ld.so.cache")]
    for program in programs:
        folders += [program.parent, *(program.parent.parent / name for name in ("lib", "lib64"))]
    asked = subprocess.run(
        ["perl", "-e", 'print join "\n", @INC'], capture_output=True, text=True, check=False
    )
    return (*folders, *map(Path, asked.stdout.split("\n")))


def _search_path() -> str:
    """Name the folders of Perl and LaTeXML first, for installations of a user's own."""
    programs = filter(None, (shutil.which(name) for name in ("perl", PROGRAM)))
    return os.pathsep.join([*(str(Path(program).parent) for program in programs), os.defpath])


def run_latexml(scratch: Scratch, options: Sequence[str], main: str, limits: Limits) -> Ended:
    """Convert the main file of a source, in the sandbox and within the limits.

    Raises:
        ProofmatchError: If the system does not let the process be limited.
    """
    own = Path(__file__).parent.resolve()  # with the module of the sandbox
    temporary, stderr = scratch.results / "tmp", scratch.results / "stderr"
    temporary.mkdir()
    log = scratch.results / "log"
    environment = {
        "PATH": _search_path(),
        "LC_ALL": "C.UTF-8",
        "HOME": str(temporary),
        "TMPDIR": str(temporary),
        "PERL5LIB": str(own),
        "PERL5OPT": "-MProofmatchWall",
        "PERL_HASH_SEED": "0",
        "PROOFMATCH_SOURCE": str(scratch.source.resolve()),
        "PROOFMATCH_RESULTS": str(scratch.results.resolve()),
    }
    outcome = (f"--log={log.resolve()}", f"--destination={scratch.document.resolve()}")
    readable, writable = (*_libraries(), own, scratch.source), (*_DEVICES, scratch.results)
    with stderr.open("wb") as errors, ruleset(readable, writable) as rules:
        try:
            process = subprocess.Popen(
                [find_latexml(), *options, *outcome, f"./{main}"],
                cwd=scratch.source,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=errors,
                stderr=errors,
                start_new_session=True,
                pass_fds=() if rules is None else (rules,),
                preexec_fn=lambda: _confine(limits, rules),  # workers have one thread
            )
        except subprocess.SubprocessError:
            raise ProofmatchError("LaTeXML cannot be used here: its process cannot be limited") from None
        overdue = _end(process, time.monotonic() + _PATIENCE * limits.seconds + _GRACE)
    return Ended(process.returncode, overdue, _end_of(log) + "\n" + _end_of(stderr))


def _confine(limits: Limits, rules: int | None) -> None:
    """Limit this process; a failure here ends it before LaTeXML starts."""
    signal_on_parent_death(signal.SIGKILL)
    seconds = int(limits.seconds) + 1
    _limit(resource.RLIMIT_CPU, seconds, seconds + 5)
    _limit(resource.RLIMIT_AS, limits.megabytes << 20)
    _limit(resource.RLIMIT_FSIZE, _LARGEST_FILE)
    _limit(resource.RLIMIT_CORE, 0)
    if rules is not None:
        restrict_self(rules)


def _limit(kind: int, soft: int, hard: int | None = None) -> None:
    """Set a limit, or leave the one that is there if it is lower."""
    _, present = resource.getrlimit(kind)
    most = present if present != resource.RLIM_INFINITY else soft + (hard or soft)
    resource.setrlimit(kind, (min(soft, most), min(hard or soft, most)))


def _end(process: "subprocess.Popen[bytes]", deadline: float) -> bool:
    """Wait for a process, and kill it and all of its group; True if it was too late."""
    handle = os.pidfd_open(process.pid)
    try:
        waiting = select.poll()
        waiting.register(handle, select.POLLIN)
        overdue = not waiting.poll(max(0.0, deadline - time.monotonic()) * 1000)
    finally:
        os.close(handle)
        # The process is not reaped yet, so the number of its group is still its own.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return overdue


def _end_of(path: Path) -> str:
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - _LONGEST_LOG))
            return file.read(_LONGEST_LOG).decode("utf-8", "replace")
    except OSError:
        return ""


def prove_wall(folder: Path, options: Sequence[str]) -> None:
    """Have a source try to read, write and run what it must not; LaTeXML is not used unless all of it fails.

    Args:
        folder: A folder for the attempt, which is removed again.
        options: The options of conversions.

    Raises:
        ProofmatchError: If something succeeds, or LaTeXML does not work at all.
    """
    scratch, canary, written = Scratch(folder), folder / "canary.tex", folder / "written"
    secret = os.urandom(16).hex()
    names = {"canary": canary.resolve(), "written": written.resolve()}
    try:
        scratch.write(
            {
                "proof.tex": (_PROOF % names).encode(),
                "inside.tex": b"from the inside",
                "outside.sty.ltxml": (_BINDING % names).encode(),
            }
        )
        canary.write_text(secret + "\n")
        ended = run_latexml(scratch, options, "proof.tex", Limits(_PROOF_SECONDS, _PROOF_MB))
        converted = scratch.document.read_text("utf-8") if scratch.document.exists() else ""
        if "from the inside" not in converted:
            reason = one_line(ended.log[-500:]).replace(str(folder.resolve()), "…")
            raise ProofmatchError(
                f"LaTeXML cannot be used here: it did not convert a test document ({reason})"
            )
        if secret in converted or written.exists():
            raise ProofmatchError(
                "LaTeXML cannot be used here: a test document read or wrote files outside its own folder; "
                "convert the sources elsewhere and build from the XHTML"
            )
    finally:
        shutil.rmtree(folder, ignore_errors=True)
