"""Packages have the names that dir() lists, and the wheel's list of packages is complete."""

import importlib
import re
import runpy
import tomllib

import pytest

from tests.conftest import REPOSITORY

PACKAGES = ("builder", "dataset_card", "evaluation", "training")
OFFERING = ("proofmatch", *(f"proofmatch.{name}" for name in ("builder", "evaluation", "training")))


@pytest.mark.parametrize(
    "name", [*OFFERING, "proofmatch.evaluation.decoding", "proofmatch.evaluation.integrations"]
)
def test_every_name_that_a_package_lists_can_be_loaded(name):
    package = importlib.import_module(name)
    assert set(package.__all__) <= set(dir(package))
    for offered in package.__all__:
        assert getattr(package, offered) is not None
    with pytest.raises(AttributeError, match="nonsense"):
        package.nonsense  # noqa: B018 - the access is what is tested


def test_the_wheel_has_every_package():
    settings = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    found = {"proofmatch"}
    for name in PACKAGES:
        for path in (REPOSITORY / name).rglob("__init__.py"):
            found.add(".".join(("proofmatch", *path.parent.relative_to(REPOSITORY).parts)))
    assert set(settings["tool"]["setuptools"]["packages"]) == found


@pytest.mark.parametrize("package", ["proofmatch", *PACKAGES])
def test_file_names_are_unique_within_a_package(package):
    names = [path.name for path in (REPOSITORY / package).rglob("*.py") if path.name != "__init__.py"]
    assert len(names) == len(set(names)), sorted(name for name in names if names.count(name) > 1)


def test_the_front_door_offers_the_packages_too():
    import proofmatch

    assert {"builder", "evaluation", "training", "load_matcher"} <= set(dir(proofmatch))
    assert proofmatch.training is importlib.import_module("proofmatch.training")
    assert dir(importlib.import_module("proofmatch.evaluation.integrations")) == [
        "information_retrieval_evaluator",
        "mteb_task",
    ]


def test_the_description_for_pypi_has_no_links_that_lead_nowhere(monkeypatch):
    import setuptools

    given: dict = {}
    monkeypatch.setattr(setuptools, "setup", lambda **settings: given.update(settings))
    runpy.run_path(str(REPOSITORY / "setup.py"))
    targets = re.findall(r"\]\(([^)]+)\)", given["long_description"])
    assert targets
    assert all(target.startswith("https://") for target in targets)
