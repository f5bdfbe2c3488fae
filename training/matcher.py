"""`Matcher`: the base class of all matchers, with the methods that training needs."""

import os
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from safetensors import SafetensorError
from torch import nn
from transformers import PretrainedConfig, PreTrainedModel, PreTrainedTokenizerFast
from transformers.utils.hub import cached_file

from proofmatch.errors import NotFoundError, ProofmatchError, first_line
from proofmatch.progress import Progress
from proofmatch.strict_json import read_json

from ..builder.release.schema import ALL
from ..evaluation.decoding.scores import ScoreSource
from ..evaluation.reported_results import reported_result
from ..evaluation.result import Result
from ..evaluation.training_data import (
    FAMILIES,
    RECORD,
    STATEMENTS,
    TrainingData,
    read_entries,
    read_training_data,
)
from .calibration import confidences
from .model_files import check_model_files
from .model_folder import CARD, RUN
from .texts import Columns, TextReader, Texts
from .vectors import Vectors, scores_of

if TYPE_CHECKING:
    from mteb.models.model_meta import ModelMeta

    from ..builder.release.release import Release
    from .mteb_model import MatcherSearch
    from .searching.searcher import Hit

_FILE_OPTIONS = ("cache_dir", "force_download", "local_files_only", "revision", "subfolder", "token")
_HUB_OPTIONS = ("repo_id", "commit_message", "private", "create_pr", "revision", "token")

Gather = Callable[[torch.Tensor], torch.Tensor]


@dataclass(frozen=True, slots=True)
class ParameterGroup:
    """Parameters with a common learning rate.

    Attributes:
        parameters: The parameters.
        rate: Name of the setting that multiplies the learning rate of this group; None for no factor.
        decay: Name of the setting with the weight decay of this group.
    """

    parameters: list[nn.Parameter]
    rate: str | None = None
    decay: str = "weight_decay"


class Matcher(PreTrainedModel):
    """A model that scores proofs for statements.

    Attributes:
        trains_in_several_processes: Whether processes can share a batch.
        training_data: What it was trained on, saved with it; None if that is not known.
    """

    trains_in_several_processes = False
    training_data: TrainingData | None = None

    @classmethod
    def from_pretrained(  # noqa: D417 - the others are the library's
        cls,
        pretrained_model_name_or_path: Any,  # noqa: ANN401
        *others: Any,  # noqa: ANN401
        **options: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401 - a matcher, or what `output_loading_info` asks for
        """Open a matcher.

        Args:
            pretrained_model_name_or_path: A folder, or `OWNER/NAME` on the Hub.

        Raises:
            ProofmatchError: If there is none, or its weights do not fit its configuration.
        """
        name = pretrained_model_name_or_path
        is_info_wanted = options.pop("output_loading_info", False)
        wanted = {"use_safetensors": True, "ignore_mismatched_sizes": True, "output_loading_info": True}
        options = checked_options(name, options)
        try:
            with quiet_library():
                kind = kind_of_model(name, **options)
                is_ours = kind == cls.config_class.model_type  # pyright: ignore[reportOptionalMemberAccess]
                opened: Any = is_ours and super().from_pretrained(name, *others, **{**options, **wanted})
        except ProofmatchError as error:
            raise ProofmatchError(f"the configuration of {name} does not work: {error}") from None
        except (OSError, ValueError, RuntimeError, SafetensorError) as error:
            raise no_matcher(name, error) from None
        if not is_ours:
            raise ProofmatchError(
                f"{name} is a model of the kind {kind}, not {cls.config_class.model_type}"  # pyright: ignore[reportOptionalMemberAccess]
            )
        matcher, found = opened
        # The library initializes missing weights at random and continues, which would look like a bad model.
        faults = {kind: sorted(map(str, keys)) for kind, keys in found.items() if keys}
        if faults:
            kind, keys = next(iter(faults.items()))
            raise ProofmatchError(
                f"the weights of {name} do not fit its configuration ({kind.replace('_', ' ')}: "
                f"{keys[0]}); take config.json and model.safetensors from the same checkpoint"
            )
        matcher.training_data = saved_training_data(name, **options)
        return (matcher, found) if is_info_wanted else matcher

    def save_pretrained(  # noqa: D417 - the others are the library's
        self,
        save_directory: str | os.PathLike[str],
        *others: Any,  # noqa: ANN401
        push_to_hub: bool = False,
        **options: Any,  # noqa: ANN401
    ) -> None:
        """Save the matcher, with the record of what it was trained on.

        Args:
            save_directory: The folder.
            push_to_hub: Whether to upload it then, as `push_to_hub` does.
        """
        hub = {name: options.pop(name) for name in _HUB_OPTIONS if name in options} if push_to_hub else {}
        super().save_pretrained(save_directory, *others, **options)
        if self.training_data is not None:
            self.training_data.save(Path(save_directory))
        if push_to_hub:
            self.push_to_hub(**{"repo_id": Path(save_directory).name, **hub})

    @property
    def views(self) -> "tuple[Matcher, ...]":
        """The matchers whose scores are fused; the matcher itself, unless it has several views."""
        return (self,)

    def confidences(self, scores: np.ndarray) -> np.ndarray | None:
        """Estimate the probability that each of the best hits for a statement is its proof.

        Args:
            scores: The scores of the hits, best first.

        Returns:
            Probabilities; None if the matcher is not calibrated.
        """
        calibration = getattr(self.config, "calibration", None)
        return None if calibration is None else confidences(calibration, scores)

    def push_to_hub(  # noqa: D417 - the others are the library's  # pyright: ignore[reportIncompatibleVariableOverride]
        self,
        repo_id: str,
        results: Sequence[Result | str | Path] = (),
        **options: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401 - what the library returns
        """Upload the matcher to the Hub, and report its results to the leaderboards of the datasets there.

        Args:
            repo_id: `OWNER/NAME`.
            results: Results of test splits of datasets on the Hub, from `evaluate`, or their files.

        Raises:
            ProofmatchError: If something is not such a result; nothing is uploaded then.
        """
        from huggingface_hub import CommitOperationAdd, HfApi

        reported = [reported_result(result) for result in results]
        commit: Any = PreTrainedModel.push_to_hub(self, repo_id, **options)
        if reported:
            HfApi(token=options.get("token")).create_commit(
                repo_id,
                [CommitOperationAdd(name, text.encode()) for name, text in reported],
                commit_message="Report results",
                revision=commit.pr_revision or options.get("revision"),
            )
        return commit

    @abstractmethod
    def reader(self, tokenizer: PreTrainedTokenizerFast) -> TextReader:
        """Return the reader of texts for this matcher."""

    @abstractmethod
    def backward(
        self,
        statements: Sequence[Any],
        proofs: Sequence[Any],
        loss: Callable[[torch.Tensor], torch.Tensor],
        chunk: int | None,
        gather: Gather,
    ) -> torch.Tensor:
        """Add the gradients of a batch's loss to the parameters, and return the loss.

        Args:
            statements: Texts from the reader.
            proofs: Texts from the reader.
            loss: A function of the score matrix.
            chunk: How many texts to encode with a graph at a time; None for all of them.
            gather: Concatenates the vectors of all processes that share a batch.
        """

    @abstractmethod
    def parameter_groups(self) -> list[ParameterGroup]:
        """Group the parameters by learning rate and weight decay."""

    @abstractmethod
    def vectors(self, texts: Texts, side: str, progress: Progress | None = None) -> Vectors:
        """Encode texts of one side as vectors whose inner products are the scores.

        Args:
            texts: Texts from the reader.
            side: `statement` or `proof`.
            progress: Advanced after each batch.
        """

    def scores(self, statements: Texts, proofs: Texts, progress: Progress | None = None) -> ScoreSource:
        """Score all pairs; each text is encoded once, and blocks of scores are computed on demand."""
        return scores_of(
            self.vectors(statements, "statement", progress), self.vectors(proofs, "proof", progress)
        )


@dataclass(frozen=True, slots=True)
class TrainedMatcher:
    """A matcher and the tokenizer it was trained with.

    Attributes:
        matcher: The model.
        tokenizer: Its tokenizer.
        name: The folder or repository that it was opened from.
        own_reader: The reader of texts, if it is another than the matcher's.
    """

    matcher: Matcher
    tokenizer: PreTrainedTokenizerFast
    name: str = "matcher"
    own_reader: TextReader | None = None

    @property
    def reader(self) -> TextReader:
        """The reader of texts for the matcher."""
        return self.own_reader or self.matcher.reader(self.tokenizer)

    def for_candidates(self, proofs: Columns, origin: str | None = None) -> "TrainedMatcher":
        """Return the model with a reader that takes these proofs as the candidates.

        Args:
            proofs: As for `TextReader.with_candidates`.
            origin: Likewise.
        """
        return replace(self, own_reader=self.reader.with_candidates(proofs, origin))

    def search(
        self,
        statement: str,
        release: "Release | str | os.PathLike[str]",
        k: int = 10,
        *,
        among: str = "proofs",
        split: str = ALL,
        macros: str = "",
        why: bool | None = None,
    ) -> "list[Hit]":
        r"""Find proofs for a statement of your own.

        The release is encoded once and cached; `Searcher` also keeps it in memory, for many statements.

        Args:
            statement: Text with formulas in TeX.
            release: An open release, a folder, or `OWNER/NAME[@REVISION]` on the Hub.
            k: Number of hits. Equal texts are one hit.
            among: `proofs`, or `statements` for similar statements, each with its proof.
            split: `train`, `validation`, `test` or `all`.
            macros: Definitions in TeX, such as `\newcommand{\PP}{\mathbb{P}}`.
            why: Whether to explain each score; by default, explain it if the matcher can.

        Returns:
            Hits with `proof`, `statement`, `score`, `source` and `reasons`, best first.

        Raises:
            ProofmatchError: If the matcher can read nothing in the statement, the release does not exist, or
                the matcher does not support what is asked for.

        Example:
            >>> matcher = proofmatch.load_matcher("model")  # doctest: +SKIP
            >>> matcher.search("Subgroups of cyclic groups are cyclic.", "release", k=3)  # doctest: +SKIP
        """
        from .searching.searcher import search

        return search(self, statement, release, k, among=among, split=split, macros=macros, why=why)

    def score(self, statements: Sequence[str], proofs: Sequence[str]) -> np.ndarray:
        """Score every statement with every proof, (statements, proofs); higher is better.

        Args:
            statements: Texts with formulas in TeX, such as `Every ideal of $R$ is principal.`
            proofs: The same.

        Raises:
            ProofmatchError: If a text is empty.
        """
        from .searching.query import read_column

        queries, candidates = read_column(self, statements, "statement"), read_column(self, proofs, "proof")
        reader = self.for_candidates(lambda: [(candidates, None)]).reader
        scores = self.matcher.scores(reader.read(queries), reader.read(candidates))
        return scores.block(0, len(statements))

    def push_to_hub(
        self,
        repo_id: str,
        results: Sequence[Result | str | Path] = (),
        **options: Any,  # noqa: ANN401 - the library's
    ) -> None:
        """Upload the matcher, its tokenizer and its card to the Hub, and report its results there.

        Args:
            repo_id: `OWNER/NAME`.
            results: Results of test splits of datasets on the Hub, from `evaluate`, or their files.
            **options: Options of `push_to_hub` in transformers, such as `private`.

        Raises:
            ProofmatchError: If something is not such a result; nothing is uploaded then.
        """
        from huggingface_hub import HfApi

        self.matcher.push_to_hub(repo_id, results=results, **options)
        self.tokenizer.push_to_hub(repo_id, **options)
        card = Path(self.name) / CARD
        if card.is_file():
            HfApi(token=options.get("token")).upload_file(
                path_or_fileobj=card, path_in_repo=CARD, repo_id=repo_id, revision=options.get("revision")
            )

    @property
    def mteb_model_meta(self) -> "ModelMeta":
        """The metadata of mteb, so that `mteb.evaluate` accepts a matcher on tasks of `mteb_task`."""
        from .mteb_model import model_meta

        return model_meta(self)

    def mteb_model(self, tokens: "Mapping[str, Sequence[str]] | None" = None) -> "MatcherSearch":
        """Make an mteb search model from the matcher, for any retrieval task.

        Args:
            tokens: Typed tokens by the ids of texts. Other texts are read as `score` does.
        """
        from .mteb_model import MatcherSearch

        return MatcherSearch(self, tokens or {})


def saved_training_data(model: Any, **options: Any) -> TrainingData | None:  # noqa: ANN401 - as `from_pretrained`
    """Read what a saved matcher was trained on; older ones have it in their training settings."""
    chosen = {name: options[name] for name in _FILE_OPTIONS if name in options}

    def find(name: str) -> Path | None:
        try:
            path = cached_file(model, name, **chosen, _raise_exceptions_for_missing_entries=False)
        except OSError:
            return None
        return None if path is None else Path(path)

    if record := find(RECORD):
        return read_training_data(record, find(STATEMENTS))
    try:
        run = read_json(path) if (path := find(RUN)) else {}
        data, by_article = run["data"], run["config"] == "pairs_by_article"
        entry = {"release": data["id"], "manifest_sha256": data["manifest_sha256"]}
        return TrainingData(
            read_entries([entry | {"family": FAMILIES[by_article], "splits": ["train", "validation"]}])
        )
    except (OSError, ValueError, LookupError, TypeError):
        return None


def checked_options(name: Any, options: dict[str, Any]) -> dict[str, Any]:  # noqa: ANN401 - as `from_pretrained`
    """Check the files of a matcher before any is opened; the options then name the commit that was checked.

    Raises:
        ProofmatchError: If there is none, or it has a file that must not be opened.
    """
    try:
        with quiet_library():
            return check_model_files(name, options)
    except OSError as error:
        raise no_matcher(name, error) from None


def no_matcher(name: object, error: Exception) -> ProofmatchError:
    """Return the error for a name that is not a matcher."""
    return NotFoundError(
        f"{name} is neither a folder with a matcher nor OWNER/NAME of one on the Hub ({first_line(error)})"
    )


def kind_of_model(name: Any, **options: Any) -> str | None:  # noqa: ANN401 - as `from_pretrained`
    """Look up the `model_type` of a saved model in its configuration."""
    return PretrainedConfig.get_config_dict(name, **options)[0].get("model_type")


def kind_of_part(fields: object, *kinds: type[Matcher]) -> type[Matcher]:
    """Find the kind of a part of a matcher by the `model_type` in its configuration.

    Raises:
        ProofmatchError: If it is none of these kinds.
    """
    model_type = fields.get("model_type") if isinstance(fields, dict) else None
    by_name = {kind.config_class.model_type: kind for kind in kinds}  # pyright: ignore[reportOptionalMemberAccess]
    if not isinstance(model_type, str) or model_type not in by_name:
        raise ProofmatchError(f"a part of it is of the kind {model_type!r}, not {' or '.join(by_name)}")
    return by_name[model_type]


@contextmanager
def quiet_library() -> Iterator[None]:
    """Silence the progress bars and warnings of transformers."""
    from logging import CRITICAL

    from transformers.utils import logging

    level, had_bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity(CRITICAL)
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if had_bars:
            logging.enable_progress_bar()
