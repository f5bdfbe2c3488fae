"""Planted faults of the card and of stats.json."""

from .planting import fault


@fault(r"stats.json says that pairs test has 7 rows; it has \d+", "figures", recount=False)
def stale_statistics(release):
    release.edit_json("stats.json", lambda statistics: statistics["rows"]["pairs"].update(test=7))


@fault(r"download_size of statements is 1;", "figures", recount=False)
def stale_size_in_card(release):
    def age(metadata):
        entry = next(one for one in metadata["dataset_info"] if one["config_name"] == "statements")
        entry["download_size"] = 1

    release.edit_card(age)


@fault(r"pairs train has 7 examples; it has \d+", "figures", recount=False)
def stale_count_in_card(release):
    release.edit_card(lambda metadata: metadata["dataset_info"][0]["splits"][0].update(num_examples=7))


@fault(r"README.md lists pairs future, which has no rows", "figures", recount=False)
def card_with_an_empty_split(release):
    empty = {"name": "future", "num_bytes": 0, "num_examples": 0}
    release.edit_card(lambda metadata: metadata["dataset_info"][0]["splits"].append(empty))


@fault(r"data_files of pairs test .* are not the files of this split", "figures", recount=False)
def card_that_loads_other_files(release):
    release.edit_card(
        lambda metadata: metadata["configs"][0]["data_files"][2].update(path="data/pairs/*.parquet")
    )


@fault(r"the YAML of README.md cannot be read", "card", recount=False)
def broken_yaml(release):
    (release.folder / "README.md").write_text("---\nlanguage: [\n---\n")


@fault(r"YAML of README.md cannot be read: it has no YAML", "card", recount=False)
def card_without_yaml(release):
    (release.folder / "README.md").write_text("# A corpus\n")


@fault(r"names no license", "card", recount=False)
def no_license(release):
    release.edit_card(lambda metadata: metadata.pop("license"))


@fault(r"the default config is proofs, not pairs", "card", recount=False)
def another_default(release):
    def change(metadata):
        metadata["configs"][0].pop("default")
        metadata["configs"][2]["default"] = True

    release.edit_card(change)


@fault(r"stats.json says that 7 pairs were kept; there are \d+", "figures", recount=False)
def stale_count_of_pairs(release):
    release.edit_json("stats.json", lambda statistics: statistics["pairs"].update(kept=7))


@fault(r"stats.json has no `lengths`, `labels`", "figures", recount=False)
def statistics_that_lack_something(release):
    release.edit_json("stats.json", lambda statistics: [statistics.pop(key) for key in ("lengths", "labels")])


@fault(r"stats.json lacks 'with_pairs', which `proofmatch stats` needs", "figures", recount=False)
def statistics_that_lack_a_number(release):
    release.edit_json("stats.json", lambda statistics: statistics["documents"].pop("with_pairs"))


@fault(r"`proofmatch stats` cannot make its tables from stats.json", "figures", recount=False)
def statistics_with_words_for_numbers(release):
    release.edit_json("stats.json", lambda statistics: statistics["documents"].update(read="many"))


@fault(r"stats.json is missing or not a JSON object", "figures", recount=False)
def statistics_too_deep_to_read(release):
    (release.folder / "stats.json").write_text("[" * 100_000)


@fault(r"statement_tokens of pairs is not `list: string`", "figures", recount=False)
def list_described_as_text(release):
    def flatten(metadata):
        feature = metadata["dataset_info"][0]["features"][10]
        feature["dtype"] = feature.pop("list")

    release.edit_card(flatten)


@fault(r"text of statements is not `dtype: string`", "figures", recount=False)
def text_described_as_numbers(release):
    release.edit_card(lambda metadata: metadata["dataset_info"][1]["features"][1].update(dtype="int64"))


@fault(r"dataset_size of pairs is 1, not the sum", "figures", recount=False)
def stale_size_in_memory(release):
    release.edit_card(lambda metadata: metadata["dataset_info"][0].update(dataset_size=1))


@fault(r"has no dataset_info for config pairs", "figures", "card", recount=False)
def names_that_are_not_strings(release):
    def edit(metadata):
        for entries in (metadata["dataset_info"], metadata["configs"]):
            entries[0]["config_name"] = [1, 2]
        metadata["dataset_info"][1]["splits"][0]["name"] = [1]
        metadata["configs"][1]["data_files"][0]["split"] = {"a": 1}

    release.edit_card(edit)


@fault(r"license must be the Hub's name of a licence.*not 'CC BY 4.0'", "card", recount=False)
def license_in_words(release):
    release.edit_card(lambda metadata: metadata.update(license="CC BY 4.0"))


@fault(r"README.md shows figures/categories.svg, which is missing", "card")
def missing_figure(release):
    (release.folder / "figures" / "categories.svg").unlink()
