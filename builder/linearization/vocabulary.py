"""The element names of MathML, sorted by what linearization does with them."""

from enum import IntEnum, auto
from typing import Any

MATHML_NAMESPACE = "http://www.w3.org/1998/Math/MathML"
XHTML_NAMESPACE = "http://www.w3.org/1999/xhtml"


class Role(IntEnum):
    """What to do with an element inside a formula."""

    LEAF = auto()  # its text is tokens
    STYLE = auto()  # may declare a font for what is inside
    FENCED = auto()  # has tokens in its attributes
    SEMANTICS = auto()  # only its first child is the formula
    ANNOTATION = auto()  # says the same again in another language
    CONTENT = auto()  # says what is meant instead of how it looks: has to be converted


_LEAVES = "mi mn mo mtext ms"
_CONTENT = """
    cn ci csymbol cs cbytes cerror apply bind bvar share
    reln fn declare lambda compose inverse ident domain codomain image domainofapplication
    interval condition lowlimit uplimit degree momentabout logbase piecewise piece otherwise sep
    quotient factorial divide max min minus plus power rem times root gcd lcm
    abs conjugate arg real imaginary floor ceiling exp
    and or xor not implies forall exists equivalent
    eq neq gt lt geq leq approx factorof
    int diff partialdiff divergence grad curl laplacian
    set list union intersect in notin subset prsubset notsubset notprsubset setdiff card cartesianproduct
    sum product limit tendsto
    ln log sin cos tan sec csc cot sinh cosh tanh sech csch coth
    arcsin arccos arctan arccosh arccot arccoth arccsc arccsch arcsec arcsech arcsinh arctanh
    mean sdev variance median mode moment
    vector matrix matrixrow determinant transpose selector vectorproduct scalarproduct outerproduct
    integers reals rationals naturalnumbers complexes primes emptyset
    exponentiale imaginaryi notanumber true false pi eulergamma infinity
"""

# Elements of an HTML parser have no namespace, and XHTML whose author forgot it puts math in XHTML's.
_NAMESPACES = (f"{{{MATHML_NAMESPACE}}}", "", f"{{{XHTML_NAMESPACE}}}")

CONTENT_ELEMENTS = frozenset(_CONTENT.split())


def qualified(*names: str) -> tuple[str, ...]:
    """Spell element names in every namespace in which they occur."""
    return tuple(namespace + name for namespace in _NAMESPACES for name in names)


MATH_TAGS = qualified("math")
ANNOTATION_TAGS = qualified("annotation")

# Containers that are not listed (mrow, mfrac, …, and unknown elements) are simply walked through.
# `math` itself can carry a font like `mstyle`.
ROLES: dict[Any, Role] = {
    **dict.fromkeys(qualified(*_LEAVES.split()), Role.LEAF),
    **dict.fromkeys(qualified("mstyle", "math"), Role.STYLE),
    **dict.fromkeys(qualified("mfenced"), Role.FENCED),
    **dict.fromkeys(qualified("semantics"), Role.SEMANTICS),
    **dict.fromkeys(qualified("annotation", "annotation-xml"), Role.ANNOTATION),
    **dict.fromkeys(qualified(*CONTENT_ELEMENTS), Role.CONTENT),
}
