"""Checks the YAML of a card, as `POST /api/validate-yaml` does.

The tables are excerpts of the Hub's: values that it knows and that cards of ours may have.
"""

import re
from typing import Any

import yaml

LICENSES = {
    "apache-2.0",
    "mit",
    "cc0-1.0",
    "gfdl",
    "cc-by-4.0",
    "cc-by-sa-4.0",
    "cc-by-nc-4.0",
    "cc-by-nc-sa-4.0",
}
LICENSES |= {"odc-by", "other", "unknown"}
LANGUAGES = {"de", "en", "es", "fr", "it", "la", "ru", "zh", "multilingual", "code"}
TASKS = {"feature-extraction", "sentence-similarity", "text-classification", "text-generation"}
TASKS |= {"text-ranking", "text-retrieval", "question-answering", "other"}
SIZES = {"n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B"}
TASK_IDS = {"document-retrieval", "entity-linking-retrieval", "fact-checking-retrieval"}
CREATORS = {"crowdsourced", "expert-generated", "found", "machine-generated", "no-annotation", "other"}
LINGUALITIES = {"monolingual", "multilingual", "translation", "other"}
LISTS = {
    "task_categories": TASKS,
    "task_ids": TASK_IDS,
    "size_categories": SIZES,
    "annotations_creators": CREATORS,
    "language_creators": CREATORS,
    "multilinguality": LINGUALITIES,
}
SDKS = {"gradio", "docker", "static"}
COLOURS = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}
LONGEST_DESCRIPTION = 60
LICENSE_NAME = re.compile(r"[a-z0-9.-]+")
CONFIG_NAME = re.compile(r"[^<>:/\\|?*]+")


def faults_of_card(content: str, repo_type: str) -> tuple[list[str], list[str]]:
    """List the errors and the warnings."""
    block = re.match(r"\ufeff?---\r?\n(.*?)\r?\n---\s*(\n|$)", content, re.DOTALL)
    if not block:
        return [], ["empty or missing yaml metadata in repo card"]
    try:
        data = yaml.safe_load(block[1])
    except yaml.YAMLError as error:
        return [f"YAML Metadata Error: {error}"], []
    if not isinstance(data, dict):
        return ["metadata must be a mapping"], []
    errors = [*_unknown(data, "license", LICENSES), *_unknown(data, "language", LANGUAGES)]
    if not LICENSE_NAME.fullmatch(str(data.get("license_name", "own"))):
        errors.append('"license_name" must be in lower case, with digits, "-" and "."')
    if repo_type == "dataset":
        errors += [error for key, known in LISTS.items() for error in _unknown(data, key, known, listed=True)]
        errors += _faults_of_configs(data.get("configs", []))
        errors += _faults_of_infos(data.get("dataset_info", []))
    if repo_type == "space":
        errors += _faults_of_space(data)
    return errors, []


def _faults_of_space(data: dict[str, Any]) -> list[str]:
    errors = [] if "sdk" in data else ['"sdk" is required']
    for key, known in (("sdk", SDKS), ("colorFrom", COLOURS), ("colorTo", COLOURS)):
        errors += _unknown(data, key, known)
    if len(str(data.get("short_description", ""))) > LONGEST_DESCRIPTION:
        errors.append(f'"short_description" must be at most {LONGEST_DESCRIPTION} characters long')
    return errors


def _unknown(data: dict[str, Any], key: str, known: set[str], listed: bool = False) -> list[str]:
    if key not in data:
        return []
    values = data[key]
    if isinstance(values, str) and not listed:
        values = [values]
    if not isinstance(values, list):
        return [f'"{key}" must be an array']
    return [f'"{key}" must be one of [{", ".join(sorted(known))}]' for value in values if value not in known]


def _faults_of_configs(configs: object) -> list[str]:
    if not isinstance(configs, list):
        return ['"configs" must be an array']
    errors = []
    for number, config in enumerate(configs):
        where = f"configs[{number}]"
        name = config.get("config_name") if isinstance(config, dict) else None
        if not isinstance(name, str) or not CONFIG_NAME.fullmatch(name):
            errors.append(f'"{where}.config_name" must be a name')
            continue
        files = config.get("data_files", [])
        for entry in files if isinstance(files, list) else [files]:
            paths = (
                entry.get("path")
                if isinstance(entry, dict) and isinstance(entry.get("split"), str)
                else entry
            )
            if not all(isinstance(path, str) for path in (paths if isinstance(paths, list) else [paths])):
                errors.append(f'"{where}.data_files" must be paths, or objects with "split" and "path"')
    names = [config.get("config_name") for config in configs if isinstance(config, dict)]
    if len(set(map(str, names))) < len(names):
        errors.append('"configs" has a config_name twice')
    return errors


def _faults_of_infos(infos: object) -> list[str]:
    errors = []
    for number, info in enumerate(infos if isinstance(infos, list) else [infos]):
        where = f"dataset_info[{number}]"
        if not isinstance(info, dict):
            errors.append(f'"{where}" must be an object')
            continue
        for feature in info.get("features", []):
            if not isinstance(feature, dict) or "name" not in feature or len(feature) < 2:
                errors.append(f'"{where}.features" must be objects with a "name" and a type')
        for split in info.get("splits", []):
            if not isinstance(split, dict) or not isinstance(split.get("name"), str):
                errors.append(f'"{where}.splits" must be objects with a "name"')
            elif not all(isinstance(split.get(key, 0), int) for key in ("num_bytes", "num_examples")):
                errors.append(f'"{where}.splits" must have whole numbers')
    return errors
