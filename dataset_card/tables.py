"""The paper's two statistics tables, filled in from `stats.json`, for the screen and for the card."""

from dataclasses import dataclass
from typing import Any

_MAX_CATEGORIES = 13  # as many as the paper lists
_WIDTH = 52
_LENGTHS = (("text+math", "Text+math"), ("text", "Text only"), ("math", "Math only"))

_CATEGORY_NAMES = {
    "math.AC": "Commutative Algebra",
    "math.AG": "Algebraic Geometry",
    "math.AP": "Analysis of PDEs",
    "math.AT": "Algebraic Topology",
    "math.CA": "Classical Analysis and ODEs",
    "math.CO": "Combinatorics",
    "math.CT": "Category Theory",
    "math.CV": "Complex Variables",
    "math.DG": "Differential Geometry",
    "math.DS": "Dynamical Systems",
    "math.FA": "Functional Analysis",
    "math.GM": "General Mathematics",
    "math.GN": "General Topology",
    "math.GR": "Group Theory",
    "math.GT": "Geometric Topology",
    "math.HO": "History and Overview",
    "math.IT": "Information Theory",
    "math.KT": "K-Theory and Homology",
    "math.LO": "Logic",
    "math.MG": "Metric Geometry",
    "math.MP": "Mathematical Physics",
    "math.NA": "Numerical Analysis",
    "math.NT": "Number Theory",
    "math.OA": "Operator Algebras",
    "math.OC": "Optimization and Control",
    "math.PR": "Probability",
    "math.QA": "Quantum Algebra",
    "math.RA": "Rings and Algebras",
    "math.RT": "Representation Theory",
    "math.SG": "Symplectic Geometry",
    "math.SP": "Spectral Theory",
    "math.ST": "Statistics Theory",
    "math-ph": "Mathematical Physics",
    "cs.CC": "Computational Complexity",
    "cs.DM": "Discrete Mathematics",
    "cs.DS": "Data Structures and Algorithms",
    "cs.GT": "Computer Science and Game Theory",
    "cs.IT": "Information Theory",
    "cs.LG": "Machine Learning",
    "cs.LO": "Logic in Computer Science",
    "gr-qc": "General Relativity and Quantum Cosmology",
    "hep-th": "High Energy Physics - Theory",
    "nlin.CD": "Chaotic Dynamics",
    "nlin.SI": "Exactly Solvable and Integrable Systems",
    "quant-ph": "Quantum Physics",
    "stat.ML": "Machine Learning",
    "stat.TH": "Statistics Theory",
}


@dataclass(frozen=True, slots=True)
class CategoryRow:
    """A primary category, and its numbers of articles and pairs."""

    name: str
    articles: int
    pairs: int


@dataclass(frozen=True, slots=True)
class StatisticsTables:
    """The content of both tables."""

    collection: list[tuple[str, str]]  # labels and values of the first
    categories: list[CategoryRow]  # the rest of the first
    lengths: dict[str, list[tuple[str, str, str, str]]]  # the second, by side: label, min, max, mean ± sd


def describe_category(category: str) -> str:
    """Write an arXiv category with its name, if we know it."""
    name = _CATEGORY_NAMES.get(category)
    return f"{category} {name}" if name else category


def make_tables(statistics: dict[str, Any]) -> StatisticsTables:
    """Take the tables' figures from `stats.json`."""
    documents, pairs, categories = statistics["documents"], statistics["pairs"], statistics["categories"]
    collection = [
        ("Number of documents read", f"{documents['read']:,}"),
        ("Extracted documents with statement–proof pairs", f"{documents['with_pairs']:,}"),
        ("Total number of statement–proof pairs", f"{pairs['kept']:,}"),
        ("Number of (primary) categories", f"({categories['primary']}) {categories['all']}"),
        ("Average number of categories per article", f"{categories['mean_per_article']:.1f}"),
    ]
    lengths = {
        side.capitalize(): _length_rows(statistics["lengths"][side]) for side in ("statements", "proofs")
    }
    return StatisticsTables(collection, represented_categories(statistics), lengths)


def represented_categories(statistics: dict[str, Any]) -> list[CategoryRow]:
    """List the most represented primary categories."""
    return [
        CategoryRow(describe_category(row["category"]), row["articles"], row["pairs"])
        for row in statistics["categories"]["by_primary"][:_MAX_CATEGORIES]
    ]


def _length_rows(lengths: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    rows = [
        (label, str(row["min"]), str(row["max"]), f"{row['mean']:.0f} ± {row['sd']:.0f}")
        for key, label in _LENGTHS
        for row in [lengths[key]]
    ]
    row = lengths["math_proportion"]
    spread = f"{row['mean']:.0%} ± {100 * row['sd']:.0f}"
    return [*rows, ("Math proportion", f"{row['min']:.1%}", f"{row['max']:.1%}", spread)]


def statistics_tables(statistics: dict[str, Any]) -> str:
    """Write both tables as plain text."""
    tables = make_tables(statistics)
    lines = [f"{label:<{_WIDTH}} {value:>20}" for label, value in tables.collection]
    lines += ["", f"{'Most represented primary categories':<{_WIDTH}} {'articles':>9} {'pairs':>10}"]
    lines += [f"{row.name:<{_WIDTH}} {row.articles:>9,} {row.pairs:>10,}" for row in tables.categories]
    if licenses := statistics.get("licenses"):  # not in releases of schema version 1
        lines += ["", f"{'pairs':>10} by licence"]
        lines += [f"{pairs:>10,} {name}" for name, pairs in licenses.items()]
    if languages := statistics["languages_of_discarded"]:
        listed = ", ".join(f"{count} {language}" for language, count in languages.items())
        lines += ["", f"Documents left out for their language: {listed}"]
    for side, rows in tables.lengths.items():
        lines.append("")
        for name, smallest, largest, spread in [(side, "min", "max", "mean ± sd"), *rows]:
            lines.append(f"{name:<20} {smallest:>8} {largest:>8} {spread:>16}")
    return "\n".join(lines)
