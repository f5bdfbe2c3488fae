"""Letters in TeX: which are variables, and that everything else stays byte for byte."""

import pytest
from hypothesis import given

from proofmatch.builder.tex import formula_end
from proofmatch.builder.variants.letters import both_cases, rewrite
from proofmatch.builder.variants.sites import letter_sites

from .strategies import TEX, permutations

RENAMING = {
    "x": "q",
    "d": "w",
    "r": "s",
    "o": "z",
    "l": "b",
    "h": "k",
    "t": "n",
    "α": "β",
    "φ": "ψ",
    "ϕ": "ξ",
}


def renamed(tex, renaming, names=()):
    return rewrite(tex, letter_sites(tex, frozenset(names)), both_cases(renaming))


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        ("x+X_x", "q+Q_q"),
        (r"\mathbf{x}\mathcal{O}_X", r"\mathbf{q}\mathcal{Z}_Q"),
        (r"\mathfrak x^\mathrm d", r"\mathfrak q^\mathrm w"),
        (r"\exp x\to\rho", r"\exp q\to\rho"),
        (r"\alpha x, \varphi\phi\Phi", r"\beta q, \psi\xi\Psi"),
        ("αϕ", "βξ"),
        (r"\mathbb{R}\mathbb R\Bbb{R}\mathds{R}r", r"\mathbb{R}\mathbb R\Bbb{R}\mathds{R}s"),
        ("𝐱𝑋ℝ𝓡ℎ", "𝐪𝑄ℝ𝓢𝑘"),
        (r"\{x:\text{ord}(x)=\$\}", r"\{q:\text{ord}(q)=\$\}"),
        (r"x\text{ for all $x \in \{x\}$ and x}x", r"q\text{ for all $q \in \{q\}$ and x}q"),
        (r"\text{\emph{all $x$}}x", r"\text{\emph{all $q$}}q"),
        (r"\text{d}x\,\mathrm{d}x", r"\text{w}q\,\mathrm{w}q"),
        (r"\mbox{x or d}\hbox to 3pt{x d}x", r"\mbox{x or d}\hbox to 3pt{x d}q"),
        (r"\label{eq:x}x\tag{x}\ref{x}\eqref{x}", r"\label{eq:x}q\tag{x}\ref{x}\eqref{x}"),
        (r"\begin{array}[t]{lr}x&d\end{array}", r"\begin{array}[t]{lr}q&w\end{array}"),
        (r"\begin{pmatrix}x\\[2ex] d\end{pmatrix}", r"\begin{pmatrix}q\\[2ex] w\end{pmatrix}"),
        (r"\begin{alignedat}{2}x\end{alignedat}", r"\begin{alignedat}{2}q\end{alignedat}"),
        (r"x\\[x]", r"q\\[q]"),
        (r"x\kern 3ptx\mkern-2mux\hskip 1ex plus 1extx", r"q\kern 3ptq\mkern-2muq\hskip 1ex plus 1exnq"),
        (r"\hspace{2ex}x\hspace*{2ex}x", r"\hspace{2ex}q\hspace*{2ex}q"),
        (r"\color{red}\textcolor{red}{x}", r"\color{red}\textcolor{red}{q}"),
        (r"\href{http://x.d}{x}", r"\href{http://x.d}{q}"),
        (r"\sqrt[d]{x}\frac xd", r"\sqrt[w]{q}\frac qw"),
        (r"\genfrac{}{}{0pt}{}{x}{d}", r"\genfrac{}{}{0pt}{}{q}{w}"),
        (r"\bar\ell_\ell x", r"\bar{\mathscr{{b}}}_{\mathscr{{b}}} q"),
        (r"\Re x", r"{\mathfrak{{S}}} q"),
        (r"\varPhi\varSigma", r"\varPsi\varSigma"),
        (r"\imath\hbar\wp\aleph", r"\imath\hbar\wp\aleph"),
        (r"Hom(x)", r"Kzm(q)"),
        (r"x\%d\x", r"q\%w\x"),
        (r"\text{x d", r"\text{x d"),
    ],
)
def test_rename(tex, expected):
    assert renamed(tex, RENAMING) == expected
    assert renamed(expected, {new: old for old, new in RENAMING.items()}) == tex


@pytest.mark.parametrize(
    ("tex", "names", "expected"),
    [
        # One identifier or several: the tokens tell.
        (r"\mathrm{ord}(x)", ["ord"], r"\mathrm{ord}(q)"),
        (r"\mathrm{ord}(x)", [], r"\mathrm{zsw}(q)"),
        (r"\operatorname{ord}\operatorname*{hd}", ["ord", "hd"], r"\operatorname{ord}\operatorname*{hd}"),
        (
            r"\mathop{\mathcal{H}\!\mathit{om}}\nolimits_x",
            ["Hom"],
            r"\mathop{\mathcal{H}\!\mathit{om}}\nolimits_q",
        ),
        (r"{\rm ord} x, {\bf x}", ["ord"], r"{\rm ord} q, {\bf q}"),
        (r"\mathbf{xd}\mathcal{XD}", ["xd"], r"\mathbf{xd}\mathcal{QW}"),
        (r"\mathit{Id}", ["Id"], r"\mathit{Id}"),
    ],
)
def test_names_of_several_letters_are_those_of_the_tokens(tex, names, expected):
    assert renamed(tex, RENAMING, names) == expected


@given(TEX, permutations())
def test_every_renaming_of_tex_can_be_undone(tex, permutation):
    back = {new: old for old, new in permutation.items()}
    assert renamed(renamed(tex, permutation), back) == tex


@given(TEX, permutations())
def test_renamed_tex_has_the_renamed_letters(tex, permutation):
    letters = both_cases(permutation)
    before = [letters[site.letter] for site in letter_sites(tex)]
    assert [site.letter for site in letter_sites(renamed(tex, permutation))] == before


@pytest.mark.parametrize(
    ("text", "tex"),
    [("x$ y", "x"), (r"\$x$", r"\$x"), (r"\text{a $b$}$", r"\text{a $b$}"), (r"\{x$", r"\{x"), ("}x$", "}x")],
)
def test_the_dollar_that_ends_a_formula(text, tex):
    assert text[: formula_end(text, 0)] == tex


def test_a_formula_may_not_end():
    assert formula_end("{x$", 0) == -1
