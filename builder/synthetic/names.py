"""Ids and paths of articles, of both kinds that arXiv has given out."""

_OLD_EVERY = 5  # one of so many articles has an id of the old kind
_OLD_MONTHS, _OLD_A_MONTH = 183, 900  # from January 1992 to March 2007
_NEW_A_MONTH = 9999
_FIRST_NEW_MONTH = 15 * 12 + 3  # April 2007, in months after January 1992


def article_id(number: int, primary_category: str) -> str:
    """Name the article of a number.

    >>> article_id(7, "math.AG"), article_id(5, "math.AG"), article_id(5, "hep-th")
    ('0704.0008', 'math/9201002', 'hep-th/9201002')
    """
    old, rest = divmod(number, _OLD_EVERY)
    if not rest and old < _OLD_MONTHS * _OLD_A_MONTH:
        month, count = divmod(old, _OLD_A_MONTH)
        return f"{primary_category.partition('.')[0]}/{_month(month)}{count + 1:03}"
    month, count = divmod(number, _NEW_A_MONTH)
    return f"{_month(_FIRST_NEW_MONTH + month)}.{count + 1:04}"


def article_path(identifier: str, suffix: str) -> str:
    """Name the file of an article, as MREC does.

    >>> article_path("math/9201002", ".xhtml"), article_path("0704.0008", ".html")
    ('9201/math_9201002.xhtml', '0704/0704_0008.html')
    """
    archive, _, number = identifier.rpartition("/")
    stem = f"{archive}_{number}" if archive else identifier.replace(".", "_")
    return f"{number[:4]}/{stem}{suffix}"


def _month(months: int) -> str:
    year, month = divmod(months, 12)
    return f"{(92 + year) % 100:02}{month + 1:02}"
