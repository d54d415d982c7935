r"""Formulas in LaTeX as MathML, which browsers draw without a script.

The subset that the lessons use: scripts, ``\frac``, ``\sqrt``, ``\hat``, ``\mathbf``, ``\mathrm``,
``\text`` and the symbols below.
"""

import html
import re

TOKEN = re.compile(r"\\(?:text|mathrm|mathbf)\{[^{}]*\}|\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|\S")
STYLED = re.compile(r"\\(text|mathrm|mathbf)\{([^{}]*)\}")
STYLES = {
    "text": "<mtext>{}</mtext>",
    "mathrm": '<mi mathvariant="normal">{}</mi>',
    "mathbf": '<mi mathvariant="normal" style="font-weight: bold">{}</mi>',
}
SPACES = {"\\,": "0.17em", "\\;": "0.28em", "\\ ": "0.33em", "\\quad": "1em"}
LETTERS = {
    **{"\\alpha": "α", "\\beta": "β", "\\gamma": "γ", "\\delta": "δ", "\\epsilon": "ϵ"},
    **{"\\eta": "η", "\\theta": "θ", "\\lambda": "λ", "\\mu": "μ", "\\sigma": "σ"},
    **{"\\ell": "ℓ", "\\partial": "∂", "\\infty": "∞", "\\log": "log", "\\exp": "exp"},
    **{"\\max": "max", "\\min": "min"},
}
OPERATORS = {
    **{"\\cdot": "⋅", "\\times": "×", "\\odot": "⊙", "\\pm": "±", "\\le": "≤", "\\ge": "≥"},
    **{"\\ne": "≠", "\\approx": "≈", "\\sim": "∼", "\\to": "→", "\\mapsto": "↦", "\\in": "∈"},
    **{"\\sum": "∑", "\\prod": "∏", "\\dots": "…", "\\top": "⊤", "\\circ": "∘", "\\|": "‖"},
    **{"\\lceil": "⌈", "\\rceil": "⌉", "\\lfloor": "⌊", "\\rfloor": "⌋"},
    **{"\\{": "{", "\\}": "}", "-": "−"},
}
WITH_LIMITS = ("<mo>∑</mo>", "<mo>∏</mo>", "<mi>max</mi>", "<mi>min</mi>")
SCRIPTS = {
    **{(True, "_"): "munder", (True, "^"): "mover", (True, "_^"): "munderover"},
    **{(False, "_"): "msub", (False, "^"): "msup", (False, "_^"): "msubsup"},
}


def as_mathml(latex: str, *, is_block: bool = False) -> str:
    r"""A formula as a MathML element.

    Args:
        latex: The formula without its dollar signs.
        is_block: On a line of its own.

    Raises:
        ValueError: It has a command that is not known here, or a brace too few or too many.

    >>> as_mathml(r"\frac{1}{n}")
    '<math><mfrac><mrow><mn>1</mn></mrow><mrow><mi>n</mi></mrow></mfrac></math>'
    """
    tokens = TOKEN.findall(latex)[::-1]
    row = _row(tokens)
    if tokens:
        raise ValueError(f"a brace too many in {latex}")
    return f'<math display="block">{row}</math>' if is_block else f"<math>{row}</math>"


def _row(tokens: list[str]) -> str:
    parts = []
    while tokens and tokens[-1] != "}":
        parts.append(_with_scripts(tokens))
    return "".join(parts)


def _with_scripts(tokens: list[str]) -> str:
    base, scripts = _atom(tokens), {}
    while tokens and tokens[-1] in "_^":
        sign = tokens.pop()
        scripts[sign] = _atom(tokens)
    if not scripts:
        return base
    tag = SCRIPTS[base in WITH_LIMITS, "".join(sorted(scripts, reverse=True))]
    return f"<{tag}>{base}{''.join(scripts[sign] for sign in '_^' if sign in scripts)}</{tag}>"


def _atom(tokens: list[str]) -> str:
    if not tokens:
        raise ValueError("the formula ends too early")
    token = tokens.pop()
    if token == "{":
        row = _row(tokens)
        if not tokens:
            raise ValueError("a brace too few")
        tokens.pop()
        return f"<mrow>{row}</mrow>"
    if token == "\\frac":
        return f"<mfrac>{_atom(tokens)}{_atom(tokens)}</mfrac>"
    if token == "\\sqrt":
        return f"<msqrt>{_atom(tokens)}</msqrt>"
    if token == "\\hat":
        return f'<mover accent="true">{_atom(tokens)}<mo>^</mo></mover>'
    return _symbol(token)


def _symbol(token: str) -> str:
    if styled := STYLED.fullmatch(token):
        return STYLES[styled[1]].format(html.escape(styled[2]))
    if token in SPACES:
        return f'<mspace width="{SPACES[token]}"></mspace>'
    if token in LETTERS or token.isalpha():
        return f"<mi>{LETTERS.get(token, token)}</mi>"
    if token[0].isdigit():
        return f"<mn>{token}</mn>"
    if token.startswith("\\") and token not in OPERATORS:
        raise ValueError(f"{token} is not known")
    fixed = ' stretchy="false"' if token in "()[]|" else ""
    return f"<mo{fixed}>{OPERATORS.get(token, html.escape(token))}</mo>"
