"""The paper's two statistics tables, filled in from `stats.json`."""

from typing import Any

from ..builder.categories import describe_category

_MOST_REPRESENTED = 13  # as many as the paper lists
_WIDTH = 52


def statistics_tables(statistics: dict[str, Any]) -> str:
    """Write both tables as plain text."""
    return f"{_collection_table(statistics)}\n\n{_length_table(statistics)}"


def _collection_table(statistics: dict[str, Any]) -> str:
    documents, pairs, categories = statistics["documents"], statistics["pairs"], statistics["categories"]
    rows = [
        ("Number of documents read", f"{documents['read']:,}"),
        ("Extracted documents with statement–proof pairs", f"{documents['with_pairs']:,}"),
        ("Total number of statement–proof pairs", f"{pairs['kept']:,}"),
        ("Number of (primary) categories", f"({categories['primary']}) {categories['all']}"),
        ("Average number of categories per article", f"{categories['mean_per_article']:.1f}"),
    ]
    lines = [f"{label:<{_WIDTH}} {value:>20}" for label, value in rows]
    lines.append("")
    lines.append(f"{'Most represented primary categories':<{_WIDTH}} {'articles':>9} {'pairs':>10}")
    for row in categories["by_primary"][:_MOST_REPRESENTED]:
        lines.append(
            f"{describe_category(row['category']):<{_WIDTH}} {row['articles']:>9,} {row['pairs']:>10,}"
        )
    if languages := statistics["languages_of_discarded"]:
        listed = ", ".join(f"{count} {language}" for language, count in languages.items())
        lines += ["", f"Documents left out for their language: {listed}"]
    return "\n".join(lines)


def _length_table(statistics: dict[str, Any]) -> str:
    lines = []
    for side in ("statements", "proofs"):
        lines.append(f"{side.capitalize():<20} {'min':>8} {'max':>8} {'mean ± sd':>16}")
        lengths = statistics["lengths"][side]
        for key, label in (("text+math", "Text+math"), ("text", "Text only"), ("math", "Math only")):
            row = lengths[key]
            spread = f"{row['mean']:.0f} ± {row['sd']:.0f}"
            lines.append(f"{label:<20} {row['min']:>8} {row['max']:>8} {spread:>16}")
        row = lengths["math_proportion"]
        spread = f"{row['mean']:.0%} ± {100 * row['sd']:.0f}"
        lines.append(f"{'Math proportion':<20} {row['min']:>8.1%} {row['max']:>8.1%} {spread:>16}")
        lines.append("")
    return "\n".join(lines).rstrip()
