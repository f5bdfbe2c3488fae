"""The LaTeX source of an article → XHTML, only once: results are cached by the hash of the source."""

import gzip
import json
import os
import re
import shutil
import signal
import zlib
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from proofmatch.errors import ProofmatchError, one_line
from proofmatch.storage import disk_errors, write_atomically

from ..readers.eprints import LatexSource, unpack_source
from ..reasons import DocumentError, Reason
from ..settings import BuildSettings
from .wall import Ended, Limits, Scratch, find_latexml, latexml_version, prove_wall, run_latexml

# Presentation MathML with TeX annotations, as in the articles of arXMLiv. The author's own styles and classes
# are read; pictures are not converted.
_OPTIONS = (
    "--expire=-1",  # no server
    "--format=xhtml",
    "--presentationmathml",
    "--mathtex",
    "--nodefaultresources",
    "--nographicimages",
    "--nopictureimages",
    "--nocomments",
    "--timestamp=0",
)
_PRELOAD = "--preload=[localrawstyles,localrawclasses{}]latexml.sty"
_FATAL = 3

_OUT_OF_MEMORY = re.compile(r"out of memory|memory allocation failed|cannot allocate memory", re.IGNORECASE)
_STATUS = re.compile(r"^Status:conversion:(\d)", re.MULTILINE)
_MESSAGE = re.compile(r"^(?:Fatal|Error):.*(?:\n\t.*)?", re.MULTILINE)
_FOLDERS = re.compile(r"(?<![\w.])/(?:[^\s/:;,'\"()<>]+/)+")


@dataclass(frozen=True, slots=True)
class Latexml:
    """How LaTeX sources are converted; nothing but the version changes the result.

    Attributes:
        version: LaTeXML's version.
        cache: The folder of converted documents.
    """

    version: str
    cache: str

    @classmethod
    def of(cls, saved: dict[str, Any] | None) -> "Latexml | None":
        """Read what `as_dict` has written."""
        return cls(**saved) if saved else None

    def as_dict(self) -> dict[str, Any]:
        """Describe it in JSON."""
        return asdict(self)

    def check(self, scratch: Path) -> None:
        """Make sure that this machine has this LaTeXML, and that its sandbox works.

        Args:
            scratch: A folder that may be made and removed again.

        Raises:
            ProofmatchError: If it has another one, or the sandbox does not work.
        """
        if latexml_version() != self.version:
            machine = os.uname().nodename
            raise ProofmatchError(
                f"{machine} has LaTeXML {latexml_version()}, but the build was begun with {self.version}"
            )
        with disk_errors(Path(self.cache)):
            Path(self.cache).mkdir(parents=True, exist_ok=True)
        prove_wall(scratch, _options(has_bibliography=True))


def local_latexml(cache: Path | None) -> Latexml:
    """Describe the LaTeXML of this machine.

    Args:
        cache: The folder of converted documents; by default one of the user's cache.

    Raises:
        ProofmatchError: If it is not installed.
    """
    find_latexml()
    return Latexml(latexml_version(), str((cache or default_cache()).absolute()))


def default_cache() -> Path:
    """Return `$XDG_CACHE_HOME/proofmatch/conversions`, or the same in `~/.cache`."""
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if not base.is_absolute():  # the XDG standard says to ignore a relative path
        try:
            base = Path.home() / ".cache"
        except RuntimeError:
            raise ProofmatchError(
                "there is no home folder for converted sources; give --conversions"
            ) from None
    return base / "proofmatch" / "conversions"


def _options(*, has_bibliography: bool) -> tuple[str, ...]:
    return (*_OPTIONS, _PRELOAD.format(",nobibtex" if has_bibliography else ""))


class LatexConverter:
    """Converts the sources of articles in this process.

    Args:
        latexml: Which LaTeXML, and where converted documents are kept.
        settings: The limits of a conversion.
        scratch: A folder for the files of conversions; what is left in it after a kill may be removed.
    """

    def __init__(self, latexml: Latexml, settings: BuildSettings, scratch: Path) -> None:
        self._latexml = latexml
        self._limits = Limits(settings.conversion_seconds, settings.conversion_mb)
        self._max_bytes = settings.max_document_bytes
        self._scratch = scratch

    def convert(self, data: bytes, name: str) -> bytes:
        """Convert a source to XHTML, or reuse an earlier conversion.

        Raises:
            DocumentError: If it is not a LaTeX source or cannot be converted, with LaTeXML's last message.
        """
        source = unpack_source(data, name, self._max_bytes)
        options = _options(has_bibliography=source.has_bibliography)
        key = sha256("\n".join([self._latexml.version, *options, source.digest()]).encode()).hexdigest()
        kept = Path(self._latexml.cache, key[:2], key)
        document = kept.with_suffix(".xhtml.gz")
        # A failure is cached for these limits only.
        failure = kept.with_suffix(f".{self._limits.seconds:g}s-{self._limits.megabytes}mb.json")
        if (converted := _read_document(document)) is not None:
            return converted
        if (error := _read_failure(failure)) is not None:
            raise error
        kept.parent.mkdir(parents=True, exist_ok=True)
        try:
            converted = self._run(source, options)
        except _Overdue as error:  # perhaps the machine was too busy
            raise DocumentError(error.reason, error.detail) from None
        except DocumentError as error:
            write_atomically(
                failure, json.dumps({"reason": error.reason.value, "detail": error.detail}) + "\n"
            )
            raise
        write_atomically(document, gzip.compress(converted, 6, mtime=0))
        return converted

    def _run(self, source: LatexSource, options: tuple[str, ...]) -> bytes:
        scratch = Scratch(self._scratch / os.urandom(8).hex())
        try:
            scratch.write(source.files)
            ended = run_latexml(scratch, options, source.main, self._limits)
            self._raise_failure(ended)
            if not scratch.document.exists():
                raise DocumentError(Reason.CONVERSION_FAILED, last_message(ended.log))
            if (size := scratch.document.stat().st_size) > self._max_bytes:
                raise DocumentError(Reason.TOO_LARGE, f"{size} bytes when converted")
            return scratch.document.read_bytes()
        finally:
            shutil.rmtree(scratch.folder, ignore_errors=True)

    def _raise_failure(self, ended: Ended) -> None:
        if ended.overdue:
            raise _Overdue(Reason.CONVERSION_TIMEOUT, "did not end in several times the time limit")
        if ended.status == -signal.SIGKILL:
            raise _Overdue(
                Reason.CONVERSION_FAILED, "was killed, perhaps because the machine was out of memory"
            )
        if ended.status == -signal.SIGXCPU:
            raise DocumentError(
                Reason.CONVERSION_TIMEOUT, f"took more than {self._limits.seconds:g} s of CPU time"
            )
        if ended.status and _OUT_OF_MEMORY.search(ended.log):
            raise DocumentError(
                Reason.CONVERSION_MEMORY, f"took more than {self._limits.megabytes} MB of memory"
            )
        if ended.status < 0:
            raise DocumentError(Reason.CONVERSION_FAILED, f"ended by {signal.Signals(-ended.status).name}")
        statuses = _STATUS.findall(ended.log)
        if ended.status or (statuses and int(statuses[-1]) >= _FATAL):
            message = last_message(ended.log)
            is_limit = re.match(r"Fatal:timeout:", message)
            raise DocumentError(Reason.CONVERSION_TIMEOUT if is_limit else Reason.CONVERSION_FAILED, message)


class _Overdue(DocumentError):  # noqa: N818 - an event
    """A conversion that was killed within its limits, so that another attempt may succeed."""


def last_message(log: str) -> str:
    """Take the last error out of a log of LaTeXML, on one line and without folders of this machine."""
    messages = _MESSAGE.findall(log)
    fatal = [message for message in messages if message.startswith("Fatal")]
    lines = log.strip().splitlines()
    message = (fatal or messages or lines[-1:] or ["no message"])[-1]
    return one_line(_FOLDERS.sub("", message))


def _read_document(path: Path) -> bytes | None:
    try:
        return gzip.decompress(path.read_bytes())
    except (OSError, EOFError, ValueError, zlib.error):  # absent, or damaged: converted again
        return None


def _read_failure(path: Path) -> DocumentError | None:
    try:
        saved = json.loads(path.read_bytes())
        return DocumentError(Reason(saved["reason"]), str(saved["detail"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
