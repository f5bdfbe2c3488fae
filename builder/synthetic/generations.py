"""The generations of LaTeXML's markup, from the one that MREC has to today's HTML5."""

from dataclasses import dataclass, replace

from .symbols import Symbol
from .trees import REFERENCE

_MATHML = ' xmlns="http://www.w3.org/1998/Math/MathML"'
_DOCTYPE = (
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1 plus MathML 2.0//EN" '
    '"http://www.w3.org/Math/DTD/mathml2/xhtml-math11-f.dtd">\n'
)


@dataclass(frozen=True, slots=True)
class Generation:
    """How one kind of documents is marked up.

    Attributes:
        name: Its name.
        share: Of the documents.
        suffix: Of file names.
        prefix: Of MathML's elements.
        math_namespace: Attribute of every formula.
        class_prefix: Of class names.
        theorem: Classes of statements; `{}` is their kind.
        theorem_title: Classes of their titles.
        proof_title: Classes of the titles of proofs.
        has_content: Whether formulas have content markup beside presentation.
        styles_letters: Whether fonts are characters of their own instead of attributes.
    """

    name: str
    share: float
    suffix: str
    prefix: str
    math_namespace: str
    class_prefix: str
    theorem: str
    theorem_title: str
    proof_title: str
    has_content: bool = False
    styles_letters: bool = True

    @property
    def is_html(self) -> bool:
        """Whether it is HTML5, not XML."""
        return self.suffix == ".html"

    def letter(self, symbol: Symbol) -> str:
        """Write a letter in presentation markup."""
        reference = REFERENCE if self.has_content else ""
        if symbol.font is None or self.styles_letters:
            return f"<{self.prefix}mi{reference}>{symbol.styled}</{self.prefix}mi>"
        return f'<{self.prefix}mi mathvariant="{symbol.font}">{symbol.letter}</{self.prefix}mi>'

    def head(self, title: str, metas: str) -> str:
        """Write what is before the body."""
        if self.is_html:
            return (
                f'<!DOCTYPE html><html lang="en">\n<head>\n<title>{title}</title>\n'
                '<meta http-equiv="content-type" content="text/html; charset=UTF-8">\n'
                f"{metas}</head>\n<body>\n"
            )
        prefixed = _MATHML.replace("xmlns", "xmlns:m") if self.prefix else ""
        return (
            f'<?xml version="1.0" encoding="utf-8"?>\n{_DOCTYPE}'
            f'<html xmlns:dct="http://purl.org/dc/terms/"{prefixed} xmlns="http://www.w3.org/1999/xhtml" '
            f'lang="en">\n<head>\n<title>{title}</title>\n'
            '<meta http-equiv="content-type" content="application/xhtml+xml; charset=UTF-8"/>\n'
            f"{metas}</head>\n<body>\n"
        )


_OLD = Generation(
    name="latexml-0.7",
    share=0.40,
    suffix=".xhtml",
    prefix="m:",
    math_namespace="",
    class_prefix="",
    theorem="theorem",
    theorem_title="title",
    proof_title="title italic",
    styles_letters=False,
)
_OF_2011 = replace(
    _OLD, name="latexml-2011", share=0.20, theorem="theorem ltx_thm", theorem_title="title theorem-title"
)
_OF_2012 = replace(_OF_2011, name="latexml-2012", prefix="", math_namespace=_MATHML, styles_letters=True)
_NEW = replace(
    _OF_2012,
    name="latexml-0.8",
    share=0.10,
    class_prefix="ltx_",
    theorem="ltx_theorem ltx_theorem_{}",
    theorem_title="ltx_title ltx_runin ltx_title_theorem",
    proof_title="ltx_title ltx_runin ltx_font_italic ltx_title_proof",
)
_PARALLEL = replace(_NEW, name="parallel", share=0.05, has_content=True)
_HTML5 = replace(_PARALLEL, name="html5", suffix=".html", math_namespace="")

# MREC was made by LaTeXML 0.7, so most documents are like that.
GENERATIONS: dict[str, Generation] = {
    generation.name: generation for generation in (_OLD, _OF_2011, _OF_2012, _NEW, _PARALLEL, _HTML5)
}
