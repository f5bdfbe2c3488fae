"""Planted faults of rows: values, tokens, ids, references, splits, order and duplicates."""

from proofmatch.builder.identifiers import text_id, text_key

from .planting import EditedRelease, fault


@fault(r"no text \(null\).*s-[0-9a-f]{20}", "schema", "references", "ids")
def null_text(release):
    release.edit_rows("statements", "test", lambda rows: rows[3].update(text=None))


@fault(r"pairs/test-.* no title \(null\)", "schema", "articles")
def null_title(release):
    chosen = release.rows("pairs", "test")[0]["id"]
    release.edit_pairs(lambda row: row["id"] == chosen and row.update(title=None))


@fault(r"a null among its statement_tokens", "schema", "tokens")
def null_token(release):
    replace_token(release, None)


@fault(r"empty statement_tokens", "schema")
def no_tokens(release):
    chosen = release.rows("pairs", "test")[0]["id"]
    release.edit_pairs(lambda row: row["id"] == chosen and row.update(statement_tokens=[]))


@fault(r"'x:Let' in \S+ \(data/pairs/test", "tokens")
def malformed_token(release):
    replace_token(release, "x:Let")


@fault(r"unknown font.*'m.gothic:x' in \S+#", "tokens")
def unknown_font(release):
    replace_token(release, "m.gothic:x")


@fault(r"not marked.*'m.italic:x'", "tokens")
def font_that_carries_no_mark(release):
    replace_token(release, "m.italic:x")


@fault(r"white space.*'t:a\\xa0b'", "tokens")
def white_space_in_a_token(release):
    replace_token(release, "t:a\xa0b")


@fault(r"not of the form.*'m:'", "tokens")
def token_without_surface(release):
    replace_token(release, "m:")


def replace_token(release: EditedRelease, token: str | None) -> None:
    chosen = release.rows("pairs", "test")[0]["id"]
    release.edit_pairs(lambda row: row["id"] == chosen and row["statement_tokens"].__setitem__(5, token))


@fault(r"pairs train has the same statement_id more than once.*2 times", "ids", "references")
def duplicate_id(release):
    def repeat(rows):
        rows[1]["statement_id"] = rows[0]["statement_id"]

    release.edit_rows("pairs", "train", repeat)


@fault(r"malformed proof_ids.*p-7", "ids", "references", "order")
def malformed_id(release):
    release.edit_rows("proofs", "test", lambda rows: rows[0].update(proof_id="p-7"))


@fault(r"do not begin with their article's id.*#", "ids")
def id_of_another_article(release):
    release.edit_pairs(lambda row: row.update(id=f"other.{row['id']}"))


@fault(r"statement ids that reveal the id of their proof.*s-\S+ and p-", "ids", "order")
def ids_with_the_same_digits(release):
    release.edit_pairs(lambda row: row.update(proof_id="p-" + row["statement_id"][2:]))


@fault(r"statements test lacks statement_ids of pairs test.*s-[0-9a-f]{20}", "references", "ids")
def statement_that_is_not_there(release):
    release.edit_rows("statements", "test", lambda rows: rows[0].update(statement_id="s-" + "0" * 20))


@fault(r"text of proofs test differs from proof of pairs test.*p-[0-9a-f]{20}", "references", "ids")
def another_text(release):
    release.edit_rows("proofs", "test", lambda rows: rows[2].update(text="Obvious."))


@fault(r"tokens of statements test differs from statement_tokens", "references")
def another_order_of_tokens(release):
    release.edit_rows("statements", "test", lambda rows: rows[2]["tokens"].reverse())


@fault(r"kind of the same pair differs between pairs and pairs_by_article.*#", "references")
def families_that_differ(release):
    release.edit_rows("pairs_by_article", "test", lambda rows: rows[0].update(kind="axiom"))


@fault(
    r"pairs has the same id in two splits.*# ?\S+ in validation and test",
    "splits",
    "duplicates",
    "references",
)
def pair_in_two_splits(release):
    twin = release.rows("pairs", "validation")[0]
    release.edit_rows("pairs", "test", lambda rows: rows.__setitem__(0, twin))
    release.follow("", "test")


@fault(r"pairs_by_article has the same article_id in two splits.* in train and test", "splits")
def article_in_two_splits(release):
    train, test = (release.rows("pairs_by_article", split) for split in ("train", "test"))
    train[0], test[0] = test[0], train[0]
    for split, rows in (("train", train), ("test", test)):
        release.put_rows("pairs_by_article", split, rows)
        release.follow("_by_article", split)


@fault(r"pairs test has \d+ rows; a tenth of \d+, rounded down, is \d+", "splits")
def wrong_split_size(release):
    test = release.rows("pairs", "test")
    release.edit_rows("pairs", "train", lambda rows: rows.append(test.pop()))
    release.put_rows("pairs", "test", test)
    for split in ("train", "test"):
        release.follow("", split)


@fault(r"statements and proofs train reveal each other: (\d+) of \d+ rows are followed", "order")
def gold_as_identity(release):
    def like_the_pairs(side, rows):
        places = {row[f"{side}_id"]: place for place, row in enumerate(release.rows("pairs", "train"))}
        rows.sort(key=lambda row: hash_of(places[row[f"{side}_id"]]))

    for side in ("statement", "proof"):
        release.edit_rows(f"{side}s", "train", lambda rows, side=side: like_the_pairs(side, rows))


def hash_of(place: int) -> int:
    return place * 7919 % 10_007  # an order of no meaning


@fault(r"rows of statements train follow one of the same article", "order")
def rows_in_the_order_of_articles(release):
    article = {row["statement_id"]: row["article_id"] for row in release.rows("pairs", "train")}
    release.edit_rows(
        "statements", "train", lambda rows: rows.sort(key=lambda row: article[row["statement_id"]])
    )


@fault(r"held-out pairs also in another split: 1 of \d+.*\(test\) and copy.0001#", "duplicates")
def held_out_pair_copied_into_train(release):
    identifier = "copy.0001#0123456789ab"
    original = release.rows("pairs", "test")[0]
    ids = {f"{side}_id": text_id(side, text_key(original[side]), 1) for side in ("statement", "proof")}
    twin = original | {"id": identifier, "article_id": "copy.0001"} | ids
    for suffix in ("", "_by_article"):
        release.edit_rows(f"pairs{suffix}", "train", lambda rows: rows.append(twin))
        release.follow(suffix, "train")


@fault(r"proof_ids are not derived from their own texts.*p-[0-9a-f]{20}", "ids")
def ids_that_depend_on_the_pair(release):
    def derive(row):
        row["proof_id"] = text_id("proof", text_key(row["id"]))

    release.edit_pairs(derive)
    for suffix in ("", "_by_article"):
        for split in ("train", "validation", "test"):
            release.follow(suffix, split)


@fault(r"rows of proofs test are not in the order of their ids", "order")
def rows_in_no_order(release):
    release.edit_rows("proofs", "test", lambda rows: rows.insert(3, rows.pop()))


def edit_article(release: EditedRelease, edit) -> None:
    """Edit all pairs of an article."""
    chosen = release.rows("pairs", "test")[0]["article_id"]
    release.edit_pairs(lambda row: row["article_id"] == chosen and edit(row))


def edit_one_pair(release: EditedRelease, edit) -> None:
    """Edit a pair whose article has others."""
    articles = [row["article_id"] for row in release.rows("pairs", "train")]
    chosen = next(
        row["id"] for row in release.rows("pairs", "train") if articles.count(row["article_id"]) > 1
    )
    release.edit_pairs(lambda row: row["id"] == chosen and edit(row))


@fault(r"a primary_category that is not the first of its categories.*#", "schema")
def another_primary_category(release):
    edit_article(release, lambda row: row.update(primary_category="math.XX"))


@fault(r"a primary_category that is not the first", "schema")
def categories_without_a_primary_one(release):
    edit_article(release, lambda row: row.update(primary_category=None))


@fault(r"a primary_category that is not the first", "schema")
def primary_category_of_none(release):
    edit_article(release, lambda row: row.update(categories=[]))


@fault(r"a category that is empty or has white space", "schema")
def empty_category(release):
    edit_article(release, lambda row: row["categories"].append(""))


@fault(r"a category that is empty or has white space", "schema")
def category_of_white_space(release):
    edit_article(release, lambda row: row["categories"].append(" "))


@fault(r"an unknown kind \('fable'\).*#", "schema")
def unknown_kind(release):
    edit_one_pair(release, lambda row: row.update(kind="fable"))


@fault(r"an unknown kind \(''\)", "schema")
def empty_kind(release):
    edit_one_pair(release, lambda row: row.update(kind=""))


@fault(r"pairs has articles with more than one title.*sample", "articles")
def article_with_two_titles(release):
    edit_one_pair(release, lambda row: row.update(title="Another title"))


@fault(r"pairs_by_article has articles with more than one list of categories.*sample", "articles")
def article_with_two_lists_of_categories(release):
    edit_one_pair(release, lambda row: row["categories"].append("math.XX"))


@fault(r"a proof that lacks the words of its tokens", "schema", "ids")
def texts_of_others(release):
    proofs = [row["proof"] for row in release.rows("pairs", "train")]
    release.edit_pairs(lambda row: row.update(proof=proofs[0] if row["proof"] != proofs[0] else proofs[1]))
