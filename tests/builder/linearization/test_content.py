"""Conversion of Content MathML to Presentation MathML.

Pinned here: how each family of elements reads; that parentheses are where they are needed; that no content
element and no annotation survives and no leaf is lost; that hostile input is an error and nothing worse.
"""

import json
import multiprocessing
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from proofmatch.builder import math_tokens
from proofmatch.builder.linearization.content import MAX_DEPTH, ContentMathError, to_presentation

MATHML = "http://www.w3.org/1998/Math/MathML"
ORACLES = Path(__file__).resolve().parents[3].parent / "shared" / "oracles"

# The invisible operators, spelled so that the tables below can be read.
APPLY, TIMES = "\u2061", "\u2062"
SPELLED = {APPLY: "AF", TIMES: "IT"}


def math(content: str) -> str:
    return f'<math xmlns="{MATHML}">{content}</math>'


def reading(content: str) -> str:
    """The tokens of content markup as one line: `sin AF x`, `double-struck:R`."""
    surfaces = []
    for token in math_tokens(to_presentation(math(content))):
        kind, _, surface = token.partition(":")
        font = kind.removeprefix("m").removeprefix(".")
        surfaces.append(f"{font}:{surface}" if font else SPELLED.get(surface, surface))
    return " ".join(surfaces)


def apply(operator: str, *arguments: str) -> str:
    """An application; one-word arguments are identifiers and numbers."""
    head = operator if operator.startswith("<") else f"<{operator}/>"
    return f"<apply>{head}{''.join(map(leaf, arguments))}</apply>"


def leaf(argument: str) -> str:
    if argument.startswith("<"):
        return argument
    return f"<cn>{argument}</cn>" if argument.lstrip("-").isdigit() else f"<ci>{argument}</ci>"


def qualifier(name: str, argument: str) -> str:
    return f"<{name}>{leaf(argument)}</{name}>"


def bvar(name: str, degree: str = "") -> str:
    return f"<bvar><ci>{name}</ci>{qualifier('degree', degree) if degree else ''}</bvar>"


def container(name: str, *children: str) -> str:
    return f"<{name}>{''.join(map(leaf, children))}</{name.split()[0]}>"


def symbol(cd: str, name: str) -> str:
    return f'<csymbol cd="{cd}">{name}</csymbol>'


X, I = bvar("x"), bvar("i")  # noqa: E741
FX = apply("<ci>f</ci>", "x")
X_IN_S = qualifier("condition", apply("in", "x", "S"))
DOMAIN = qualifier("domainofapplication", "D")
LIMITS = qualifier("lowlimit", "1") + qualifier("uplimit", "n")
A_PLUS_B = apply("plus", "a", "b")

TOKENS = {
    "<cn>12</cn>": "12",
    "<cn> -5 </cn>": "-5",
    '<cn type="real">2.75</cn>': "2.75",
    '<cn type="double">1e3</cn>': "1e3",
    '<cn type="hexdouble">4028B0FCD32F707A</cn>': "0x4028B0FCD32F707A",
    '<cn type="e-notation">1.5<sep/>-8</cn>': "1.5E-8",
    '<cn type="rational">3<sep/>5</cn>': "3 / 5",
    '<cn type="complex-cartesian">3<sep/>4</cn>': "3 + 4 IT i",
    '<cn type="complex-cartesian">3<sep/>-4</cn>': "3 − 4 IT i",
    '<cn type="complex-polar">3<sep/>1.5</cn>': "3 IT e i IT 1.5",
    '<cn type="constant">π</cn>': "π",
    '<cn type="integer" base="2">1011</cn>': "1011 2",
    '<cn type="real" base="8">7.4</cn>': "7.4 8",
    '<cn base="10">9</cn>': "9",
    "<ci> y </ci>": "y",
    '<ci type="matrix">M</ci>': "M",
    '<ci mathvariant="fraktur">g</ci>': "fraktur:g",
    '<ci class="ltx_font_mathcaligraphic">C</ci>': "script:C",
    "<ci><msub><mi>y</mi><mn>2</mn></msub></ci>": "y 2",
    '<ci mathvariant="bold"><mover><mi>y</mi><mo>~</mo></mover></ci>': "bold:y bold:~",
    "<cs>some text</cs>": "some text",
    "<cbytes>AQID</cbytes>": "AQID",
    '<csymbol cd="mine">rank</csymbol>': "rank",
    '<csymbol cd="ambiguous" name="fragments"/>': "fragments",
    '<csymbol definitionURL="http://example.org/ops#rank"/>': "rank",
    "<csymbol><msub><mi>J</mi><mn>0</mn></msub></csymbol>": "J 0",
    f"<cerror>{symbol('mine', 'overflow')}<cn>1</cn></cerror>": "overflow 1",
}

ARITHMETIC = {
    apply("plus", "a", "b", "c"): "a + b + c",
    apply("plus", "a"): "+ a",
    apply("minus", "a"): "− a",
    apply("minus", "a", "b"): "a − b",
    apply("times", "a", "b"): "a IT b",
    apply("times", "2", "3", "a"): "2 × 3 IT a",
    apply("times", "3", apply("power", "2", "n")): "3 × 2 n",
    apply("divide", "a", "b"): "a / b",
    apply("quotient", "a", "b"): "⌊ a / b ⌋",
    apply("rem", "a", "b"): "a mod b",
    apply("factorial", "n"): "n !",
    apply("power", "a", "n"): "a n",
    apply("exp", "a"): "e a",
    apply("root", "a"): "a",
    apply("root", qualifier("degree", "3"), "a"): "a 3",
    apply("max", "a", "b"): "max { a , b }",
    apply("max", X, X_IN_S, FX): "max { f AF ( x ) | x ∈ S }",
    apply("max", X, DOMAIN, FX): "max { f AF ( x ) | x ∈ D }",
    apply("min", X, FX): "min x { f AF ( x ) }",
    apply("gcd", "a", "b"): "gcd AF ( a , b )",
    apply("lcm", "a", "b"): "lcm AF ( a , b )",
    apply("abs", A_PLUS_B): "| a + b |",
    apply("floor", "a"): "⌊ a ⌋",
    apply("ceiling", "a"): "⌈ a ⌉",
    apply("conjugate", "z"): "z ¯",
    apply("arg", "z"): "arg AF ( z )",
    apply("real", "z"): "script:R AF ( z )",
    apply("imaginary", "z"): "fraktur:I AF ( z )",
}

LOGIC_AND_RELATIONS = {
    apply("and", "p", "q", "r"): "p ∧ q ∧ r",
    apply("or", "p", "q"): "p ∨ q",
    apply("xor", "p", "q"): "p xor q",
    apply("not", "p"): "¬ p",
    apply("implies", "p", "q"): "p ⇒ q",
    apply("equivalent", "p", "q"): "p ≡ q",
    apply("forall", X, "p"): "∀ x . ( p )",
    apply("forall", X, bvar("y"), X_IN_S, "p"): "∀ x , y . ( x ∈ S ⇒ p )",
    apply("exists", X, X_IN_S, "p"): "∃ x . ( x ∈ S ∧ p )",
    apply("exists", X, DOMAIN, apply("or", "p", "q")): "∃ x . ( x ∈ D ∧ ( p ∨ q ) )",
    apply("forall", X, LIMITS, apply("gt", "x", "0")): "∀ x . ( 1 ≤ x ≤ n ⇒ x > 0 )",
    apply("and", I, LIMITS, "p"): "⋀ i = 1 n p",
    apply("or", I, LIMITS, apply("eq", "i", "1")): "⋁ i = 1 n ( i = 1 )",
    apply("eq", "a", "b", "c"): "a = b = c",
    apply("neq", "a", "b"): "a ≠ b",
    apply("lt", "a", "b"): "a < b",
    apply("gt", "a", "b"): "a > b",
    apply("leq", "a", "b", "c"): "a ≤ b ≤ c",
    apply("geq", "a", "b"): "a ≥ b",
    apply("approx", "a", "b"): "a ≃ b",
    apply("factorof", "a", "b"): "a | b",
    "<reln><lt/><ci>a</ci><ci>b</ci></reln>": "a < b",
}

SETS = {
    "<set/>": "{ }",
    container("set", "a", "b"): "{ a , b }",
    container("set", X, X_IN_S, FX): "{ f AF ( x ) | x ∈ S }",
    container("set", X, DOMAIN, "x"): "{ x | x ∈ D }",
    container("set", X, bvar("y"), DOMAIN, apply("plus", "x", "y")): "{ x + y | ( x , y ) ∈ D }",
    container("list", "a", "b"): "( a , b )",
    container("list", X, X_IN_S): "( x | x ∈ S )",
    container("interval", "a", "b"): "[ a , b ]",
    container('interval closure="open"', "a", "b"): "( a , b )",
    container('interval closure="open-closed"', "a", "b"): "( a , b ]",
    container('interval closure="closed-open"', "a", "b"): "[ a , b )",
    apply("union", "A", "B"): "A ∪ B",
    apply("union", bvar("S"), DOMAIN, "S"): "⋃ D S",
    apply("union", I, DOMAIN, apply("<ci>A</ci>", "i")): "⋃ i ∈ D A AF ( i )",
    apply("intersect", I, LIMITS, apply("selector", "A", "i")): "⋂ i = 1 n A i",
    apply("intersect", DOMAIN, "A", "B"): "A ∩ D B",
    apply("in", "a", "A"): "a ∈ A",
    apply("notin", "a", "A"): "a ∉ A",
    apply("subset", "A", "B", "C"): "A ⊆ B ⊆ C",
    apply("prsubset", "A", "B"): "A ⊂ B",
    apply("notsubset", "A", "B"): "A ⊈ B",
    apply("notprsubset", "A", "B"): "A ⊄ B",
    apply("setdiff", "A", "B"): "A ∖ B",
    apply("card", "A"): "| A |",
    apply("cartesianproduct", "A", "B"): "A × B",
    apply("cartesianproduct", "<reals/>", "<reals/>"): "double-struck:R 2",
    apply("cartesianproduct", "<reals/>", "A"): "double-struck:R × A",
}

CALCULUS = {
    apply("int", "f"): "∫ f",
    apply("int", X, FX): "∫ f AF ( x ) d x",
    apply("int", X, qualifier("lowlimit", "a") + qualifier("uplimit", "b"), FX): "∫ a b f AF ( x ) d x",
    apply("int", X, container("interval", "a", "b"), FX): "∫ a b f AF ( x ) d x",
    apply("int", X, qualifier("domainofapplication", container("interval", "a", "b")), "x"): "∫ a b x d x",
    apply("int", X, bvar("y"), DOMAIN, FX): "∫ D f AF ( x ) d x d y",
    apply("int", X, X_IN_S, FX): "∫ x ∈ S f AF ( x ) d x",
    apply("int", X, apply("plus", "x", "1")): "∫ ( x + 1 ) d x",
    apply("diff", "f"): "f ′",
    apply("diff", apply("plus", "f", "g")): "( f + g ) ′",
    apply("diff", X, FX): "d f AF ( x ) d x",
    apply("diff", bvar("x", "n"), FX): "d n f AF ( x ) d x n",
    apply("diff", container("lambda", X, apply("sin", "x"))): "d sin AF x d x",
    apply("partialdiff", X, "f"): "∂ f ∂ x",
    apply("partialdiff", bvar("x", "2"), bvar("y"), "f"): "∂ 3 f ∂ x 2 ∂ y",
    apply("partialdiff", bvar("x", "m"), bvar("y"), "f"): "∂ m + 1 f ∂ x m ∂ y",
    apply("partialdiff", X, bvar("y"), qualifier("degree", "k"), "f"): "∂ k f ∂ x ∂ y",
    apply("partialdiff", container("list", "2", "1"), "f"): "D 2 , 1 f",
    apply("partialdiff", container("list", "2", "2"), container("lambda", X, bvar("y"), "g")): "∂ 2 g ∂ y 2",
    apply("divergence", "F"): "div AF ( F )",
    apply("divergence", X, bvar("y"), container("vector", "x", "a")): "div AF ( x ↦ x y ↦ a )",
    apply("grad", "f"): "grad AF ( f )",
    apply("grad", X, FX): "grad AF ( x ↦ f AF ( x ) )",
    apply("curl", "F"): "curl AF ( F )",
    apply("laplacian", "f"): "∇ 2 AF ( f )",
    apply("laplacian", X, bvar("y"), "f"): "∇ 2 AF ( ( x , y ) ↦ f )",
    apply("sum", I, LIMITS, "a"): "∑ i = 1 n a",
    apply("sum", I, container("interval", "0", "9"), "a"): "∑ i = 0 9 a",
    apply("sum", X, X_IN_S, FX): "∑ x ∈ S f AF ( x )",
    apply("sum", X, DOMAIN, FX): "∑ x ∈ D f AF ( x )",
    apply("sum", DOMAIN, "f"): "∑ D f",
    apply("product", I, LIMITS, A_PLUS_B): "∏ i = 1 n ( a + b )",
    apply("limit", X, qualifier("lowlimit", "0"), FX): "lim x → 0 f AF ( x )",
    apply("limit", X, qualifier("condition", apply('<tendsto type="below"/>', "x", "a")), FX): (
        "lim x → a − f AF ( x )"
    ),
    apply("tendsto", "x", "a"): "x → a",
    apply('<tendsto type="above"/>', "x", "a"): "x → a +",
    apply('<tendsto type="two-sided"/>', "x", "a"): "x → a",
}

FUNCTIONS = {
    apply("<ci>f</ci>", "x", "y"): "f AF ( x , y )",
    apply("<fn><ci>f</ci></fn>", "x"): "f AF ( x )",
    apply("<ci>f</ci>"): "f AF ( )",
    apply("<ci>Op</ci>", X, DOMAIN, FX): "Op x ∈ D ( f AF ( x ) )",
    apply(apply("inverse", "f"), "x"): "f ( -1 ) AF ( x )",
    apply(apply("compose", "f", "g"), "x"): "( f ∘ g ) AF ( x )",
    apply(apply("power", "<sin/>", "2"), "x"): "sin 2 AF ( x )",
    apply(container("lambda", X, "x"), "3"): "( λ x . ( x ) ) AF ( 3 )",
    container("lambda", X, bvar("y"), apply("plus", "x", "y")): "λ x , y . ( x + y )",
    container("lambda", X, DOMAIN, FX): "λ x ∈ D . ( f AF ( x ) )",
    container("bind", "<ci>B</ci>", X, bvar("y"), "s"): "B x , y . s",
    container("bind", "<exists/>", X, "p"): "∃ x . ( p )",
    apply("compose", "f", "g", "h"): "f ∘ g ∘ h",
    apply("domain", "f"): "domain AF ( f )",
    apply("codomain", "f"): "codomain AF ( f )",
    apply("image", "<cos/>"): "image AF ( cos )",
    "<ident/>": "id",
    container("piecewise", container("piece", "a", apply("lt", "x", "0")), container("otherwise", "b")): (
        "{ a if x < 0 b otherwise"
    ),
    container("declare", "f", container("lambda", X, "x")): "f = λ x . ( x )",
    f"{container('declare', 'f')}{FX}": "f AF ( x )",
    apply("sin", "x"): "sin AF x",
    apply("arccoth", A_PLUS_B): "arccoth AF ( a + b )",
    apply("cos", apply("tan", "x")): "cos AF tan AF x",
    apply("sin", apply("power", "x", "2")): "sin AF x 2",
    apply("power", apply("sin", "x"), "2"): "( sin AF x ) 2",
    apply("ln", "x"): "ln AF x",
    apply("log", "x"): "log AF x",
    apply("log", qualifier("logbase", "2"), "x"): "log 2 AF x",
}

STATISTICS_AND_LINEAR_ALGEBRA = {
    apply("mean", "1", "2"): "\u2329 1 , 2 \u232a",
    apply("sdev", "X"): "σ AF ( X )",
    apply("variance", "X"): "σ 2 AF ( X )",
    apply("median", "a", "b"): "median AF ( a , b )",
    apply("mode", "a", "b"): "mode AF ( a , b )",
    apply("moment", qualifier("degree", "4"), qualifier("momentabout", "c"), "X"): "\u3008 X 4 \u3009 c",
    apply("moment", qualifier("degree", "2"), "1", "2"): "\u3008 ( 1 , 2 ) 2 \u3009",
    container("vector", "a", "b"): "( a b )",
    container("vector", I, qualifier("condition", apply("lt", "i", "3")), "i"): "[ i | i < 3 ]",
    container("matrix", container("matrixrow", "1", "0"), container("matrixrow", "0", "1")): "( 1 0 0 1 )",
    container("matrix", I, bvar("j"), X_IN_S, A_PLUS_B): "[ m i , j | m i , j = a + b ; x ∈ S ]",
    apply("determinant", "A"): "det AF A",
    apply("transpose", apply("times", "A", "B")): "( A IT B ) T",
    apply("selector", "A", "i", "j"): "A i , j",
    apply("vectorproduct", "u", "v"): "u × v",
    apply("scalarproduct", "u", "v"): "u . v",
    apply("outerproduct", "u", "v"): "u ⊗ v",
}

CONSTANTS = {
    "<integers/>": "double-struck:Z",
    "<reals/>": "double-struck:R",
    "<rationals/>": "double-struck:Q",
    "<naturalnumbers/>": "double-struck:N",
    "<complexes/>": "double-struck:C",
    "<primes/>": "double-struck:P",
    "<emptyset/>": "∅",
    "<exponentiale/>": "e",
    "<imaginaryi/>": "i",
    "<notanumber/>": "NaN",
    "<true/>": "true",
    "<false/>": "false",
    "<pi/>": "π",
    "<eulergamma/>": "γ",
    "<infinity/>": "∞",
    "<times/>": "×",
    "<plus/>": "+",
    "<sin/>": "sin",
}

LATEXML = {
    apply(symbol("ambiguous", "superscript"), "x", "n"): "x n",
    apply(symbol("ambiguous", "subscript"), "x", "n"): "x n",
    apply('<csymbol cd="ambiguous" name="subscript"/>', "x", "n"): "x n",
    apply(symbol("ambiguous", "superscript"), A_PLUS_B, "n"): "( a + b ) n",
    apply(
        symbol("ambiguous", "superscript"), apply(symbol("ambiguous", "subscript"), "x", "i"), "n"
    ): "x i n",
    apply(symbol("ambiguous", "formulae-sequence"), apply("lt", "a", "b"), "c"): "a < b , c",
    apply("in", symbol("latexml", "absent"), "S"): "∈ S",
    apply(symbol("latexml", "delimited-[]"), "x"): "[ x ]",
    apply(symbol("latexml", "conditional"), "a", "b"): "a | b",
    apply(symbol("latexml", "evaluated-at"), "a", "b"): "evaluated-at AF ( a , b )",
    apply('<interval closure="open"/>', "a", "b"): "( a , b )",
    apply("set", "a", "b"): "{ a , b }",
    apply("list", "a", "b"): "( a , b )",
    apply("vector", "a", "b"): "( a , b )",
}

FAMILIES = {
    "tokens": TOKENS,
    "arithmetic": ARITHMETIC,
    "logic": LOGIC_AND_RELATIONS,
    "sets": SETS,
    "calculus": CALCULUS,
    "functions": FUNCTIONS,
    "statistics": STATISTICS_AND_LINEAR_ALGEBRA,
    "constants": CONSTANTS,
    "latexml": LATEXML,
}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(content, expected, id=f"{family}:{expected}")
        for family, table in FAMILIES.items()
        for content, expected in table.items()
    ],
)
def test_every_family_of_elements_reads_as_written_by_hand(content, expected):
    assert reading(content) == expected


LAMBDA_X = container("bind", symbol("fns1", "lambda"), X, FX)


@pytest.mark.parametrize(
    ("strict", "pragmatic"),
    [
        (apply(symbol("arith1", "plus"), "a", "b"), apply("plus", "a", "b")),
        (apply(symbol("arith1", "unary_minus"), "a"), apply("minus", "a")),
        (apply(symbol("arith1", "root"), "a", "3"), apply("root", qualifier("degree", "3"), "a")),
        (apply(symbol("transc1", "log"), "2", "x"), apply("log", qualifier("logbase", "2"), "x")),
        (apply(symbol("integer1", "remainder"), "a", "b"), apply("rem", "a", "b")),
        (apply(symbol("complex1", "argument"), "z"), apply("arg", "z")),
        (
            apply(symbol("complex1", "complex_cartesian"), "3", "4"),
            '<cn type="complex-cartesian">3<sep/>4</cn>',
        ),
        (apply(symbol("nums1", "rational"), "1", "2"), '<cn type="rational">1<sep/>2</cn>'),
        (apply(symbol("nums1", "based_integer"), "16", "<cs>FF</cs>"), '<cn base="16">FF</cn>'),
        (symbol("nums1", "e"), "<exponentiale/>"),
        (symbol("setname1", "Z"), "<integers/>"),
        (apply(symbol("set1", "size"), "A"), apply("card", "A")),
        (apply(symbol("set1", "cartesian_product"), "A", "B"), apply("cartesianproduct", "A", "B")),
        (apply(symbol("set1", "map"), LAMBDA_X, "S"), container("set", X, X_IN_S, FX)),
        (
            apply(symbol("interval1", "interval_co"), "a", "b"),
            container('interval closure="closed-open"', "a", "b"),
        ),
        (apply(symbol("fns1", "left_compose"), "f", "g"), apply("compose", "f", "g")),
        (LAMBDA_X, container("lambda", X, FX)),
        (container("bind", symbol("quant1", "forall"), X, "p"), apply("forall", X, "p")),
        (
            apply(
                symbol("arith1", "sum"), apply(symbol("interval1", "integer_interval"), "1", "n"), LAMBDA_X
            ),
            apply("sum", X, LIMITS, FX),
        ),
        (
            apply(symbol("calculus1", "defint"), apply(symbol("interval1", "interval"), "1", "n"), LAMBDA_X),
            apply("int", X, LIMITS, FX),
        ),
        (apply(symbol("calculus1", "diff"), LAMBDA_X), apply("diff", X, FX)),
        (apply(symbol("calculus1", "nthdiff"), "2", LAMBDA_X), apply("diff", bvar("x", "2"), FX)),
        (
            apply(symbol("limit1", "limit"), "0", symbol("limit1", "above"), LAMBDA_X),
            apply("limit", X, qualifier("condition", apply('<tendsto type="above"/>', "x", "0")), FX),
        ),
        (apply(symbol("linalg1", "matrix_selector"), "i", "j", "A"), apply("selector", "A", "i", "j")),
        (apply(symbol("linalg2", "vector"), "a", "b"), container("vector", "a", "b")),
        (
            apply(symbol("linalg2", "matrix"), apply(symbol("linalg2", "matrixrow"), "a", "b")),
            container("matrix", container("matrixrow", "a", "b")),
        ),
        (
            apply(symbol("piece1", "piecewise"), apply(symbol("piece1", "otherwise"), "a")),
            container("piecewise", container("otherwise", "a")),
        ),
    ],
)
def test_strict_markup_reads_like_pragmatic_markup(strict, pragmatic):
    assert reading(strict) == reading(pragmatic)


def test_a_name_of_the_unknown_dictionary_is_an_identifier_and_no_operator():
    assert reading(apply(symbol("unknown", "real"), "x")) == "real AF ( x )"


PARENTHESES = {
    apply("minus", "a", apply("minus", "b", "c")): "a − ( b − c )",
    apply("minus", apply("minus", "a", "b"), "c"): "a − b − c",
    apply("minus", "a", apply("plus", "b", "c")): "a − ( b + c )",
    apply("plus", "a", apply("plus", "b", "c")): "a + b + c",
    apply("plus", "a", apply("minus", "b")): "a − b",
    apply("plus", "a", "-3"): "a − 3",
    apply("plus", "a", apply("times", "-3", "b")): "a − 3 IT b",
    apply("plus", "a", apply("divide", apply("minus", "b"), "c")): "a − b / c",
    apply("plus", "a", apply("minus", apply("plus", "b", "c"))): "a − ( b + c )",
    apply("plus", "a", apply("times", apply("minus", "b", "c"), "d")): "a + ( b − c ) IT d",
    apply("minus", "a", "-3"): "a − ( -3 )",
    apply("minus", apply("minus", "a")): "− ( − a )",
    apply("times", A_PLUS_B, "c"): "( a + b ) IT c",
    apply("times", apply("minus", "a"), "c"): "− a IT c",
    apply("times", "c", apply("minus", "a")): "c IT ( − a )",
    apply("times", "a", apply("rem", "b", "c")): "a IT ( b mod c )",
    apply("divide", "a", apply("times", "b", "c")): "a / ( b IT c )",
    apply("divide", "a", apply("divide", "b", "c")): "a / ( b / c )",
    apply("divide", apply("times", "a", "b"), "c"): "a IT b / c",
    apply("power", apply("minus", "a"), "2"): "( − a ) 2",
    apply("power", "-3", "2"): "( -3 ) 2",
    apply("power", apply("power", "a", "b"), "c"): "( a b ) c",
    apply("power", "a", apply("power", "b", "c")): "a b c",
    apply("power", "a", A_PLUS_B): "a a + b",
    apply("power", '<cn type="rational">1<sep/>2</cn>', "n"): "( 1 / 2 ) n",
    apply("power", apply("<ci>f</ci>", "x"), "2"): "f AF ( x ) 2",
    apply("power", apply("selector", "a", "i"), "2"): "a i 2",
    apply("factorial", apply("factorial", "n")): "( n ! ) !",
    apply("times", apply("sum", I, "a"), "b"): "( ∑ i a ) IT b",
    apply("times", "b", apply("sum", I, "a")): "b IT ∑ i a",
    apply("plus", apply("sum", I, "a"), "b"): "∑ i a + b",
    apply("and", apply("or", "p", "q"), "r"): "( p ∨ q ) ∧ r",
    apply("or", apply("and", "p", "q"), "r"): "p ∧ q ∨ r",
    apply("or", apply("xor", "p", "q"), "r"): "( p xor q ) ∨ r",
    apply("implies", apply("implies", "p", "q"), "r"): "( p ⇒ q ) ⇒ r",
    apply("implies", apply("and", "p", "q"), apply("eq", "a", "b")): "p ∧ q ⇒ a = b",
    apply("and", apply("forall", X, "p"), "q"): "( ∀ x . ( p ) ) ∧ q",
    apply("and", "q", apply("forall", X, "p")): "q ∧ ∀ x . ( p )",
    apply("not", apply("in", "a", "A")): "¬ ( a ∈ A )",
    apply("eq", apply("eq", "a", "b"), "c"): "( a = b ) = c",
    apply("in", "a", apply("union", "A", "B")): "a ∈ A ∪ B",
    apply("intersect", apply("union", "A", "B"), "C"): "( A ∪ B ) ∩ C",
    apply("union", "A", apply("setdiff", "B", "C")): "A ∪ ( B ∖ C )",
    apply("setdiff", "A", apply("setdiff", "B", "C")): "A ∖ ( B ∖ C )",
    apply("vectorproduct", apply("vectorproduct", "u", "v"), "w"): "( u × v ) × w",
    apply("eq", FX, container("piecewise", container("otherwise", "a"))): "f AF ( x ) = { a otherwise",
    apply("plus", container("piecewise", container("otherwise", "a")), "b"): "( { a otherwise ) + b",
    apply("power", f"<semantics>{A_PLUS_B}<annotation>t</annotation></semantics>", "2"): "( a + b ) 2",
}


@pytest.mark.parametrize(("content", "expected"), PARENTHESES.items(), ids=PARENTHESES.values())
def test_parentheses_stand_where_they_are_needed_and_nowhere_else(content, expected):
    assert reading(content) == expected


VALUES = {"a": Fraction(3), "b": Fraction(-7, 2), "c": Fraction(11, 5)}
ARITHMETIC_TREES = st.recursive(
    st.sampled_from([*VALUES, "2", "-5"]),
    lambda trees: st.one_of(
        st.tuples(st.sampled_from(["plus", "minus", "times"]), trees, trees),
        st.tuples(st.just("divide"), trees, st.sampled_from([*VALUES, "2", "-5"])),
        st.tuples(st.sampled_from(["plus", "times"]), trees, trees, trees),
        st.tuples(st.just("minus"), trees),
    ),
    max_leaves=12,
)


def as_content(tree) -> str:
    return leaf(tree) if isinstance(tree, str) else apply(tree[0], *map(as_content, tree[1:]))


def value(tree) -> Fraction:
    if isinstance(tree, str):
        return VALUES[tree] if tree in VALUES else Fraction(tree)
    first, *rest = map(value, tree[1:])
    if tree[0] == "minus" and not rest:
        return -first
    for operand in rest:
        match tree[0]:
            case "plus":
                first += operand
            case "minus":
                first -= operand
            case "times":
                first *= operand
            case "divide":
                first /= operand
    return first


@settings(max_examples=200, deadline=None)
@given(ARITHMETIC_TREES)
def test_reading_the_tokens_by_the_usual_rules_gives_the_value_of_the_tree(tree):
    spelled = {"IT": "*", "×": "*", "−": "-"}
    pieces = [spelled.get(piece, piece) for piece in reading(as_content(tree)).split()]
    expression = " ".join(f"Fraction({piece})" if piece.lstrip("-").isdigit() else piece for piece in pieces)
    assert eval(expression, {"Fraction": Fraction, **VALUES}) == value(tree)  # noqa: S307 - our own tokens


CONTENT = """
    cn ci csymbol cs cbytes cerror apply bind bvar share semantics annotation annotation-xml
    reln fn declare sep lambda compose inverse ident domain codomain image domainofapplication
    interval condition lowlimit uplimit degree momentabout logbase piecewise piece otherwise
    quotient factorial divide max min minus plus power rem times root gcd lcm
    abs conjugate arg real imaginary floor ceiling exp
    and or xor not implies forall exists equivalent
    eq neq gt lt geq leq approx factorof
    int diff partialdiff divergence grad curl laplacian
    set list union intersect in notin subset prsubset notsubset notprsubset setdiff card cartesianproduct
    sum product limit tendsto
    ln log sin cos tan sec csc cot sinh cosh tanh sech csch coth
    arcsin arccos arctan arcsec arccsc arccot arcsinh arccosh arctanh arcsech arccsch arccoth
    mean sdev variance median mode moment
    vector matrix matrixrow determinant transpose selector vectorproduct scalarproduct outerproduct
    integers reals rationals naturalnumbers complexes primes emptyset
    exponentiale imaginaryi notanumber true false pi eulergamma infinity
"""
CONTENT_ELEMENTS = CONTENT.split()

# These are not read, or only in part.
SILENT = {"annotation", "annotation-xml", "declare", "semantics", "sep", "share"}


@pytest.mark.parametrize("name", CONTENT_ELEMENTS)
def test_no_content_element_survives_wherever_it_stands(name):
    leaves = ["<ci>u</ci>", "<ci>v</ci>", "<ci>w</ci>"]
    for count in range(4):
        inside = "".join(leaves[:count])
        for content in (
            f"<{name}>{inside}</{name}>",
            f"<apply><{name}/>{inside}</apply>",
            f"<apply><ci>f</ci><{name}>{inside}</{name}></apply>",
            f"<apply><{name}/>{bvar('u')}{qualifier('lowlimit', 'v')}{inside}</apply>",
            f"<mrow><mi>y</mi><{name}>{inside}</{name}></mrow>",
        ):
            converted = etree.fromstring(to_presentation(math(content)))
            names = {etree.QName(element).localname for element in converted.iter()}
            assert names.isdisjoint(CONTENT_ELEMENTS), content
            if name not in SILENT:
                kept = "".join(converted.itertext())
                assert all(letter in kept for letter in "uvw"[:count]), (content, kept)


QUALIFIERS = {
    "bvar",
    "condition",
    "domainofapplication",
    "lowlimit",
    "uplimit",
    "degree",
    "momentabout",
    "logbase",
}
OPERATORS = sorted(
    set(CONTENT_ELEMENTS) - SILENT - QUALIFIERS - {"cn", "ci", "csymbol", "cs", "cbytes", "apply"}
)


@settings(max_examples=150, deadline=None)
@given(
    st.recursive(
        st.just("leaf"),
        lambda trees: st.tuples(st.sampled_from([*OPERATORS, "unheard-of"]), st.lists(trees, max_size=4)),
        max_leaves=12,
    )
)
def test_no_leaf_is_lost_in_any_application(tree):
    count = 0

    def write(node) -> str:
        nonlocal count
        if node == "leaf":
            count += 1
            return f"<ci>leaf{count}</ci>"
        return apply(node[0], *map(write, node[1]))

    content = write(tree)
    found = reading(content).split()
    assert [f"leaf{number}" for number in range(1, count + 1) if f"leaf{number}" not in found] == []


def test_unknown_elements_are_read_through():
    assert reading("<novelty>text<ci>a</ci><widget><ci>b</ci></widget></novelty>") == "text a b"
    assert reading(apply("<novelty/>", "a")) == "novelty AF ( a )"


def test_presentation_is_copied_with_its_attributes_and_content_in_it_converted():
    styled = math('<mstyle mathvariant="bold"><mi>y</mi><mo lspace="0">=</mo>{}</mstyle>')
    assert to_presentation(styled.format(apply("sin", "x"))) == styled.format(
        f"<mrow><mi>sin</mi><mo>{APPLY}</mo><mi>x</mi></mrow>"
    )


def test_a_namespace_prefix_makes_no_difference():
    content = apply("plus", "a", "b")
    prefixed = content.replace("<", "<m:").replace("<m:/", "</m:")
    converted = to_presentation(f'<m:math xmlns:m="{MATHML}">{prefixed}</m:math>')
    assert math_tokens(converted) == ["m:a", "m:+", "m:b"]


@pytest.mark.parametrize(
    "content",
    [
        "<semantics><ci>x</ci><annotation>leak</annotation></semantics>",
        "<semantics><ci>x</ci>"
        '<annotation-xml encoding="MathML-Presentation"><mi>leak</mi></annotation-xml></semantics>',
        "<semantics><annotation>leak</annotation><ci>x</ci></semantics>",
        "<mrow><semantics><mi>x</mi><annotation>leak</annotation></semantics></mrow>",
        "<annotation>leak</annotation><ci>x</ci>",
        '<ci>x</ci><semantics><mrow/><annotation-xml><ci id="t">leak</ci></annotation-xml></semantics>',
    ],
)
def test_annotations_never_leak(content):
    assert reading(content) == "x"


def test_share_is_replaced_by_what_it_refers_to():
    shared = '<apply id="t"><minus/><ci>x</ci></apply>'
    assert reading(apply("eq", shared, '<share href="#t"/>')) == "− x = − x"
    assert reading(apply("minus", shared, '<share href="#t"/>')) == "− x − ( − x )"


def test_share_in_a_circle_or_to_nowhere_reads_as_its_name():
    assert reading('<apply id="t"><plus/><ci>x</ci><share href="#t"/></apply>') == "x + t"
    mutual = apply("minus", '<share href="#b"/>').replace("<apply>", '<apply id="a">') + apply(
        "minus", '<share href="#a"/>'
    ).replace("<apply>", '<apply id="b">')
    assert reading(mutual) == "− ( − a ) − ( − b )"
    assert reading('<share href="#missing"/>') == "missing"


def test_share_that_doubles_itself_again_and_again_stays_small():
    doubling = '<ci id="t0">x</ci>' + "".join(
        f'<apply id="t{n}"><plus/><share href="#t{n - 1}"/><share href="#t{n - 1}"/></apply>'
        for n in range(1, 60)
    )
    assert len(to_presentation(math(doubling))) < 10_000_000


NESTINGS = {
    "sums": ("<apply><plus/><ci>a</ci>", "</apply>"),
    "powers": ("<apply><power/>", "<ci>a</ci></apply>"),
    "functions": ("<apply><ci>f</ci>", "</apply>"),
    "heads": ("<apply>", "<ci>a</ci></apply>"),
    "signs": ("<apply><minus/>", "</apply>"),
    "integrals": ("<apply><int/><bvar><ci>x</ci></bvar>", "</apply>"),
    "sets": ("<set>", "</set>"),
    "rows": ("<mrow>", "</mrow>"),
}


@pytest.mark.parametrize("nesting", NESTINGS.values(), ids=NESTINGS)
def test_five_hundred_levels_are_converted(nesting):
    opening, closing = nesting
    assert ">deepest<" in to_presentation(math(opening * 500 + "<ci>deepest</ci>" + closing * 500))


def test_the_depth_limit_is_exact():
    def rows(count: int) -> str:
        return math("<mrow>" * count + "</mrow>" * count)

    assert to_presentation(rows(MAX_DEPTH - 1))
    with pytest.raises(ContentMathError, match=str(MAX_DEPTH)):
        to_presentation(rows(MAX_DEPTH))


def in_new_process(code: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)


def test_absurd_depth_is_an_error_and_does_not_end_the_process():
    result = in_new_process(
        "from proofmatch.builder.linearization.content import *\n"
        f"math = {math('{}')!r}.format\n"
        "for opening, closing in (('<mrow>', '</mrow>'), ('<apply><minus/>', '</apply>')):\n"
        "    try:\n"
        "        to_presentation(math(opening * 60_000 + closing * 60_000))\n"
        "    except ContentMathError as error:\n"
        "        print('refused')\n"
        "print(to_presentation(math('<pi/>')))"
    )
    assert result.stdout.splitlines() == ["refused", "refused", math("<mi>π</mi>")], result.stderr


def test_the_processor_is_loaded_at_first_use_only():
    result = in_new_process(
        "import sys\n"
        "from proofmatch.builder.linearization.content import *\n"
        "print('saxonche' in sys.modules)\n"
        f"to_presentation({math('<pi/>')!r})\n"
        "print('saxonche' in sys.modules)"
    )
    assert result.stdout.split() == ["False", "True"], result.stderr


@pytest.mark.parametrize(
    "broken",
    [
        "",
        "x + y",
        math("<apply>"),
        math("&InvisibleTimes;"),
        math("\x00"),
        math("\ud800"),
        math("<ci>x</ci>") * 2,
        "<math><ci>x</ci></math>",
        f'<mi xmlns="{MATHML}">x</mi>',
        f'<!DOCTYPE math SYSTEM "http://localhost:9/mathml.dtd">{math("<ci>x</ci>")}',
        f'<!DOCTYPE math [<!ENTITY x "y">]>{math("<ci>&x;</ci>")}',
    ],
)
def test_invalid_formulas_are_refused_and_the_next_one_is_converted(broken):
    with pytest.raises(ContentMathError) as error:
        to_presentation(broken)
    assert "\n" not in str(error.value)
    assert reading("<pi/>") == "π"


def test_bytes_are_refused():
    with pytest.raises(TypeError, match="bytes"):
        to_presentation(math("<pi/>").encode())  # pyright: ignore[reportArgumentType]


def test_a_formula_reads_no_file(tmp_path):
    secret = tmp_path / "secret.xml"
    secret.write_text(f'<ci xmlns="{MATHML}" id="t">secret</ci>')
    url = secret.as_uri()
    with pytest.raises(ContentMathError, match="document type"):
        to_presentation(f'<!DOCTYPE math [<!ENTITY x SYSTEM "{url}">]>{math("&x;")}')
    for content in (
        f'<share href="{url}#t"/>',
        f'<share href="{url}"/>',
        f'<include xmlns="http://www.w3.org/2001/XInclude" href="{url}"/>',
        f'<ci>x</ci><?xml-stylesheet href="{url}"?>',
        f'<csymbol definitionURL="{url}"/>',
    ):
        assert ">secret<" not in to_presentation(math(content))


def convert_in_child(name: str) -> str:
    return reading(apply("sin", name))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
def test_a_process_forked_after_use_converts_too():
    assert reading("<pi/>") == "π"
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply_async(convert_in_child, ("x",)).get(timeout=60) == "sin AF x"


# ---- the samples beside the repository -------------------------------------------------------------------


def oracle(name: str) -> list[dict]:
    path = ORACLES / f"{name}.jsonl"
    if not path.exists():
        pytest.skip(f"no samples beside the repository: {path}")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def oracle_tokens(tokens: list[str]) -> list[str]:
    """Type the samples' tokens `R____double-struck` by reading each as a symbol."""
    typed = []
    for token in tokens:
        surface, _, font = token.partition("____")
        symbol = etree.Element("mi", {"mathvariant": font} if font else {})
        symbol.text = surface
        typed += math_tokens(math(etree.tostring(symbol, encoding="unicode")))
    return typed


def mistaken(samples: list[dict], key: str, name: str) -> list[str]:
    return [
        sample[name]
        for sample in samples
        if key in sample and math_tokens(sample["content"]) != oracle_tokens(sample[key])
    ]


def test_the_samples_of_the_papers_conversion_are_met_exactly():
    assert mistaken(oracle("content_mathml"), "tokens", "name") == []


def test_the_corrected_samples_are_met_exactly():
    assert mistaken(oracle("content_mathml_doubtful"), "suggested", "name") == []


def test_the_specification_is_met_wherever_its_samples_agree_with_themselves_and_the_paper():
    samples = oracle("mathml_spec_pairs")
    # Of the other 14, seven offer two notations at once ("… or …"), four have other letters or another
    # arrangement in their presentation than in their content, three other brackets than the paper.
    assert len(samples) - len(mistaken(samples, "spec_tokens", "id")) >= 131


def test_what_is_shared_may_carry_an_id_that_is_then_there_twice():
    shared = '<apply id="t"><plus/><mi xml:id="a">x</mi><ci>y</ci></apply>'
    formula = math(apply("eq", shared, '<share href="#t"/>'))
    assert " ".join(math_tokens(formula)) == "m:x m:+ m:y m:= m:x m:+ m:y"


def test_a_name_of_thousands_of_letters_is_read_through(capfd):
    assert math_tokens(f"<math><{'a' * 3000}><ci>x</ci></{'a' * 3000}></math>") == ["m:x"]
    assert capfd.readouterr() == ("", "")
