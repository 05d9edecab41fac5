r"""Displayed formulas as authors write them: LaTeX that says nothing more than the page shows.

    Formulas(random.Random(1)).line()       # r'\hat{\theta} = \frac{1}{n} \sum_{i=1}^{n} x_i^2'

Templates of many fields with random letters, terms and depths; a template may hold others. Only commands of
the kernel, amsmath and amssymb, so that any class and any mathematical font can set them.
"""

from __future__ import annotations

import random
import re

_LATIN = list("abcdefghkmnpqrstuvwxyzABCDEFGHKLMNPQRSTUVWXYZ")
_INDEX = list("ijklmnst")
_GREEK = [
    rf"\{g}"
    for g in "alpha beta gamma delta epsilon varepsilon zeta eta theta kappa lambda mu nu xi pi rho sigma "
    "tau phi varphi chi psi omega Gamma Delta Theta Lambda Sigma Phi Psi Omega".split()
]
_CALS = [rf"\mathcal{{{c}}}" for c in "ABCDFGHLMNOPRST"]
_BOLDS = [rf"\mathbf{{{c}}}" for c in "xyzuvwABKMQRVWX"]
_BBS = [rf"\mathbb{{{c}}}" for c in "RCNZQE"]
_ACCENTS = ["hat", "tilde", "bar", "vec", "dot", "ddot", "overline", "widehat", "widetilde"]
_FUNCTIONS = [r"\sin", r"\cos", r"\log", r"\exp", r"\ln", r"\tanh", r"\max", r"\min", r"\det", r"\tan"]
_ROMAN = ["eff", "max", "ref", "in", "out", "tot", "train", "obs"]
_RELATIONS = ["="] * 14 + [
    r"\leq",
    r"\geq",
    r"\approx",
    r"\equiv",
    r"\propto",
    r"\sim",
    "<",
    ">",
    r"\neq",
    r"\ll",
]
_NAMES = ["tr", "rank", "Var", "Cov", "diag", "softmax", "ReLU", "sgn", "Attention"]

# Whole lines; a slot <x> is filled by the method of that name.
_LINES = [
    r"<sum> = <rhs>", r"<v> = <rhs>", r"<v> = <rhs>", r"<fn> = <rhs>", r"<fn> <rel> <rhs>", r"<v> <rel> <frac> <op> <frac>",
    r"\frac{\partial <l>}{\partial t} + <v> \cdot \nabla <l> = -\frac{1}{\rho} \nabla p + \nu \nabla^2 <l>",
    r"i\hbar \frac{\partial}{\partial t} \Psi(<l>,t) = \left[ -\frac{\hbar^2}{2m} \nabla^2 + V(<l>,t) \right] \Psi(<l>,t)",
    r"P(<L>_i \mid <L>) = \frac{P(<L> \mid <L>_i) P(<L>_i)}{\sum_{<i>=1}^{<n>} P(<L> \mid <L>_<i>) P(<L>_<i>)}",
    r"<cal>(\theta) = -\frac{1}{<n>} \sum_{<i>=1}^{<n>} \left[ y_<i> \log p_<i> + (1 - y_<i>) \log (1 - p_<i>) \right]",
    r"\operatorname{Attention}(Q, K, V) = \operatorname{softmax}\left( \frac{Q K^{\top}}{\sqrt{d_k}} \right) V",
    r"\nabla \times <bold> = \mu_0 <bold> + \mu_0 \varepsilon_0 \frac{\partial <bold>}{\partial t}",
    r"\int_{<lo>}^{<hi>} <term> \, d<l> = <rhs>", r"\iint_{<L>} <term> \, d<l> \, d<l> <rel> <frac>", r"\oint_{\partial <L>} <bold> \cdot d<bold> = 0",
    r"\lim_{<l> \to <lo>} <frac> = <term>", r"\hat{\theta} = \arg\min_{\theta} <sum> + \lambda \| \theta \|_2^2",
    r"\max_{<l> \in <cal>} <fn> \quad \text{subject to} \quad <fn> \leq <d>",
    r"<l>_{n+1} = <l>_n - \frac{f(<l>_n)}{f'(<l>_n)}", r"<l>_{1,2} = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}",
    r"G_{\mu\nu} + \Lambda g_{\mu\nu} = \frac{8\pi G}{c^4} T_{\mu\nu}", r"S = k_B \ln \Omega", r"E = mc^2",
    r"<bb>[<L>] = \int_{-\infty}^{\infty} <l> f(<l>) \, d<l>", r"f(x) = \frac{1}{\sigma\sqrt{2\pi}} e^{-\frac{(x-\mu)^2}{2\sigma^2}}",
    r"\left| <sum> \right| \leq \left( <sum> \right)^{1/2} \left( <sum> \right)^{1/2}",
    r"<fn> = \begin{cases} <term> & \text{if } <l> > <d> \\ <term> & \text{otherwise} \end{cases}",
    r"<fn> = \begin{cases} <term>, & <l> < <d>, \\ <frac>, & <d> \leq <l> < <n>, \\ <d>, & <l> \geq <n>. \end{cases}",
    r"<L> = \begin{pmatrix} <e> & <e> \\ <e> & <e> \end{pmatrix}", r"<bold> = \begin{bmatrix} <e> & <e> & <e> \\ <e> & <e> & <e> \\ <e> & <e> & <e> \end{bmatrix}",
    r"\begin{pmatrix} <l> \\ <l> \end{pmatrix} = \begin{pmatrix} \cos\theta & -\sin\theta \\ \sin\theta & \cos\theta \end{pmatrix} \begin{pmatrix} <l> \\ <l> \end{pmatrix}",
    r"\binom{n}{k} = \frac{n!}{k!(n-k)!}", r"<cal> = \{ <l> \in <bb>^{<n>} : \| <l> \| \leq <d> \}",
    r"\frac{d<l>}{dt} = <term> - <term>", r"\frac{d^2 <l>}{dt^2} + <g> \frac{d<l>}{dt} + \omega_0^2 <l> = 0",
    r"\langle \psi | \hat{H} | \phi \rangle = <sum>", r"<L>_{\mathrm{<rm>}} = <frac> \cdot <v>", r"<v> \in <bb>^{<l> \times <l>}, \quad <v> <rel> <term>",
    r"\bar{<l>} = \frac{1}{<n>} \sum_{<i>=1}^{<n>} <l>_<i>, \qquad s^2 = \frac{1}{<n>-1} \sum_{<i>=1}^{<n>} (<l>_<i> - \bar{<l>})^2",
    r"\prod_{<i>=1}^{<n>} <term> = <rhs>", r"\bigcup_{<i>=1}^{\infty} <L>_<i> \subseteq <L>", r"\sqrt{<term> + <term>} \leq \sqrt{<term>} + \sqrt{<term>}",
    r"<v> = \sqrt[3]{<term>} + <frac>", r"<l> = <d>.<d><d> \times 10^{-<d>} \, \mathrm{m}^2\,\mathrm{s}^{-1}", r"<name>(<bold>) = <sum>",
    r"D_{\mathrm{KL}}(P \| Q) = \sum_{x \in \mathcal{X}} P(x) \log \frac{P(x)}{Q(x)}", r"\tilde{<l>}_t = \beta \tilde{<l>}_{t-1} + (1-\beta) <bold>_t",
    r"\mathrm{CO_2 + H_2O \rightarrow H_2CO_3}", r"<fn> \to <rhs> \quad \text{as } <l> \to \infty", r"\forall \varepsilon > 0 \; \exists \delta > 0 : |<l> - a| < \delta \Rightarrow |f(<l>) - f(a)| < \varepsilon",
    r"F_1 = 2 \cdot \frac{\mathrm{precision} \cdot \mathrm{recall}}{\mathrm{precision} + \mathrm{recall}}",
]  # fmt: skip
_SLOT = re.compile(r"<([A-Za-z]+)>")


def _signs(latex: str) -> int:
    """About how many signs stand beside each other: of a fraction only the longer half."""
    halved = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", lambda m: max(m[1], m[2], key=len), latex)
    return len(re.sub(r"\\[a-zA-Z]+|[{}\s_^&\\]", "x", halved)) // 2


class Formulas:
    """A stream of random formulas."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.depth = 0

    def fill(self, pattern: str) -> str:
        """The pattern with every slot filled."""
        return _SLOT.sub(lambda m: str(getattr(self, f"_{m[1]}")()), pattern)

    def line(self, room: int = 60) -> str:
        """One formula with a relation, about `room` signs wide at most."""
        text = self.fill(self.rng.choice(_LINES))
        while _signs(text) > room:
            text = self.fill(self.rng.choice(_LINES))
        if self.rng.random() < 0.25:
            text += self.rng.choice([",", ".", ","])
        return text

    def rows(self, count: int, room: int) -> list[str]:
        """Lines of one derivation, aligned at their relation."""
        later = ["&= <rhs>", "&\\leq <rhs>", "&\\quad + <rhs>", "&= <rhs>"]
        return [self._short("<v> &= <rhs>", room)] + [
            self._short(self.rng.choice(later), room) for _ in range(count - 1)
        ]

    def system(self, count: int, room: int) -> list[str]:
        """Equations that are aligned and numbered each."""
        return [self._short("<v> &= <rhs>", room) for _ in range(count)]

    def _short(self, pattern: str, room: int) -> str:
        text = self.fill(pattern)
        while _signs(text) > room:
            text = self.fill(pattern)
        return text

    def inline(self) -> str:
        """A short formula for the running text."""
        return self.fill(
            self.rng.choice(["<v>", "<l>", "<v> = <d>", r"<g> <rel> <d>", r"<L>_{<i>}", r"<l>^2"])
        )

    def _pick(self, *patterns: str) -> str:
        self.depth += 1
        try:
            return self.fill(self.rng.choice(patterns[:3] if self.depth > 5 else patterns))
        finally:
            self.depth -= 1

    def _l(self) -> str:
        return self.rng.choice(_LATIN[:20])

    def _L(self) -> str:
        return self.rng.choice(_LATIN[20:])

    def _g(self) -> str:
        return self.rng.choice(_GREEK)

    def _i(self) -> str:
        return self.rng.choice(_INDEX)

    def _n(self) -> str:
        return self.rng.choice(["n", "N", "K", "m", "10", "100", "T", "M"])

    def _d(self) -> str:
        return str(self.rng.randint(0, 9))

    def _op(self) -> str:
        return self.rng.choice(["+", "-", "+", "-", r"\cdot", r"\times", r"\otimes", r"\pm"])

    def _rel(self) -> str:
        return self.rng.choice(_RELATIONS)

    def _cal(self) -> str:
        return self.rng.choice(_CALS)

    def _bold(self) -> str:
        return self.rng.choice(_BOLDS)

    def _bb(self) -> str:
        return self.rng.choice(_BBS)

    def _rm(self) -> str:
        return self.rng.choice(_ROMAN)

    def _name(self) -> str:
        return rf"\operatorname{{{self.rng.choice(_NAMES)}}}"

    def _lo(self) -> str:
        return self.rng.choice(["0", "0", r"-\infty", "a", "1", "t_0"])

    def _hi(self) -> str:
        return self.rng.choice([r"\infty", "1", "T", "b", r"2\pi", "L"])

    def _letter(self) -> str:
        return self._pick("<l>", "<l>", "<g>", "<L>", "<l>", "<bold>", "<cal>")

    def _accented(self) -> str:
        accent = self.rng.choice(_ACCENTS)
        return rf"\{accent}{{{self.rng.choice([self._l(), self._L(), self._g()])}}}"

    def _sub(self) -> str:
        return self._pick(
            "<i>",
            "<d>",
            "<i>",
            "{<i><i>}",
            "{<i>+1}",
            "{<i>,<i>}",
            r"{\mathrm{<rm>}}",
            r"{\text{<rm>}}",
            "{<g>}",
            "0",
        )

    def _sup(self) -> str:
        return self._pick(
            "2",
            "2",
            "<l>",
            "{-1}",
            "{(<i>)}",
            "{<d>/<d>}",
            r"{\top}",
            "*",
            "{-<g> <l>}",
            "{<l>+1}",
            "3",
            r"{\dagger}",
        )

    def _v(self) -> str:
        return self._pick(
            "<letter>",
            "<letter>_<sub>",
            "<letter>_<sub>",
            "<letter>_<sub>^<sup>",
            "<accented>",
            "<accented>_<sub>",
            "<letter>^<sup>",
            "<letter>'",
        )

    def _fn(self) -> str:
        return self._pick(
            "<l>(<l>)",
            "<L>(<l>, <l>)",
            "<g>(<l>)",
            "<l>_<sub>(<v>)",
            r"<l>(<l> \mid <g>)",
            "<cal>(<v>)",
            "<name>(<v>)",
        )

    def _frac(self) -> str:
        return self._pick(r"\frac{<v>}{<v>}", r"\frac{<l>}{<d>}", r"\frac{1}{<n>}", r"\frac{<term>}{<term>}", r"\frac{<term> <op> <term>}{<term>}", r"\frac{\partial <l>}{\partial <l>}",
                          r"\frac{<v>}{\sqrt{<v>}}", r"\frac{<sum>}{<v>}", r"\frac{1}{1 + e^{-<l>}}")  # fmt: skip

    def _sum(self) -> str:
        return self._pick(r"\sum_{<i>=1}^{<n>} <v>", r"\sum_{<i>=0}^{<n>} <l>_<i>", r"\sum_<i> <v>", r"\sum_{<i>=1}^{<n>} <term>", r"\sum_{<i> \neq <i>} <frac>",
                          r"\int_{<lo>}^{<hi>} <term> \, d<l>", r"\prod_{<i>=1}^{<n>} <term>", r"\sum_{<i>=1}^{<n>} \sum_{<i>=1}^{<n>} <v>", r"\int <fn> \, d<l>", r"\sum_{<l> \in <cal>} <fn>")  # fmt: skip

    def _term(self) -> str:
        return self._pick("<v>", "<v>", "<d><v>", "<v> <v>", "<fn>", "<frac>", r"\sqrt{<v>}", r"<func> <v>", r"<func>(<v>)", r"\left( <v> <op> <v> \right)", "(<v> <op> <v>)^<sup>",
                          r"e^{-<v>}", r"\| <v> \|^2", "|<v>|", r"\left( <frac> \right)^<sup>", r"\nabla <v>", r"\partial_<i> <l>", r"\left[ <frac> <op> <v> \right]", r"\langle <v>, <v> \rangle")  # fmt: skip

    def _func(self) -> str:
        return self.rng.choice(_FUNCTIONS)

    def _e(self) -> str:
        return self._pick("<l>_{<d><d>}", "<d>", "-<d>", "0", "1", "<g>", r"\cdots")

    def _rhs(self) -> str:
        return self._pick(
            "<term> <op> <term>",
            "<term>",
            "<sum>",
            "<frac>",
            "<sum> <op> <term>",
            "<frac> <op> <sum>",
            "<term> <op> <term> <op> <term>",
            "<frac> <op> <frac>",
        )
