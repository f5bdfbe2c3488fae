"""Tells from the bytes of a document that it has no proof, so that it need not be parsed.

Nine of ten articles have no pair, and a search of their bytes takes a small part of the time of a parser. It
must never miss a proof that the parser would find. So it is for documents whose bytes mean what they seem to:
no other encoding, no letters written as numbers, nothing in a word that parsers drop, no defaults from a DTD.
"""

import re

_HEAD = 4096
_TAIL = 512
_MARKUP = re.compile(rb"(?:\xef\xbb\xbf)?\s*<")
_XML_DECLARATION = re.compile(rb"""<\?xml(?:[^>]*?\sencoding\s*=\s*["']([^"']*))?[^>]*(>)?""")
_ASCII_COMPATIBLE = re.compile(
    rb"utf-?8|(?:us-)?ascii|latin-?1|iso-?8859-\d{1,2}|(?:windows-|cp)125\d", re.IGNORECASE
)
_PRINTABLE = bytes(byte for byte in range(256) if byte >= 0x20 or byte in b"\t\n\r")
# A document type with declarations, which can give elements attributes that their tags do not have.
_DECLARATIONS = re.compile(
    rb"""(?:\xef\xbb\xbf)?(?>\s|<\?.*?\?>|<!--.*?-->)*+<!DOCTYPE(?>[^\["'>]|"[^"]*"|'[^']*')*+\[""", re.DOTALL
)
# A letter, or an underscore, by its number: `pr&#111;of`.
_LETTER = rb"#(?:0*(?:6[5-9]|[78]\d|9[057-9]|1[01]\d|12[0-2])(?!\d)|[xX]0*[4-7][0-9a-fA-F](?![0-9a-fA-F]))"
# A reference inside a word that parsers leave out: in XML an undefined entity (`pr&x;oof`), if there is an
# external DTD that could define it, in HTML a number that is no character (`pr&#1;oof`).
_PROOF = b"proof"
_WORDS = (_PROOF, b"license")
_LEFT_OUT = rb"""(?!(?:lt|gt|amp|quot|apos);)(?:#(?:[xX][0-9a-fA-F]*+|\d*+)|[^\s;<>&"'#]*+);?+"""
_IN_A_WORD = b"|".join(
    b"(?<=%b&)%b(?=[%b&])" % (word[:place], _LEFT_OUT, word[place : place + 1])
    for word in _WORDS
    for place in range(1, len(word))
)
_HIDING = re.compile(b"&(?:%b|%b)" % (_LETTER, _IN_A_WORD))
_WINDOW = 256  # how many bytes before a value are searched for its attribute
_NAME = b"class"
_UNQUOTED_CLASS = re.compile(rb"class\s*=\s*[^\s>]*\Z", re.IGNORECASE)
# A window in which the name may be cut off.
_CUT_CLASS = re.compile(rb"[a-z]{0,4}\s*=?\s*[^\s>]*", re.IGNORECASE)


def is_literal(data: bytes) -> bool:
    """Tell whether `proof` and `license`, wherever a parser finds them, are written as such in the bytes.

    A document that seems damaged is not literal: the parser is to say what is wrong with it.
    """
    head = data[:_HEAD]
    if not _MARKUP.match(head) or b"</html" not in data[-_TAIL:].lower():
        return False
    if (declaration := _XML_DECLARATION.search(head)) and not _is_readable(*declaration.groups()):
        return False
    is_strange = data.translate(None, _PRINTABLE) or _DECLARATIONS.match(data)
    return not is_strange and _HIDING.search(data) is None


def has_proof(literal: bytes) -> bool:
    """Tell whether a parser could find an element with `proof` in its class attribute.

    Args:
        literal: A document that `is_literal`.

    >>> has_proof(b'<html><p class="x">By the proof of 2</p></html>')
    False
    >>> has_proof(b'<html><div class="ltx_proof">By 2</div></html>')
    True
    """
    last_quotes = {b'"': -1, b"'": -1}
    searched, place = 0, -1
    while (place := literal.find(_PROOF, place + 1)) >= 0:
        for quote, last in last_quotes.items():
            last_quotes[quote] = max(last, literal.rfind(quote, searched, place))
        searched = place
        if any(_follows_class(literal, last) for last in last_quotes.values() if last >= 0):
            return True
        before = literal[max(0, place - _WINDOW) : place]
        if _UNQUOTED_CLASS.search(before) or (place > _WINDOW and _CUT_CLASS.fullmatch(before)):
            return True
    return False


def _is_readable(encoding: bytes | None, end: bytes | None) -> bool:
    """Tell whether a document with such an XML declaration has the bytes of ASCII where its text is ASCII."""
    return end is not None and (encoding is None or _ASCII_COMPATIBLE.fullmatch(encoding) is not None)


def _follows_class(data: bytes, quote: int) -> bool:
    """Tell whether a quotation mark may begin the value of a class attribute."""
    before = data[max(0, quote - _WINDOW) : quote].rstrip()
    name = before.removesuffix(b"=").rstrip()
    if len(name) < len(_NAME):
        return quote > _WINDOW  # it may be cut off
    return name != before and name[-len(_NAME) :].lower() == _NAME
