"""The same program with its calls written otherwise: what the check no longer sees as a call.

Derived from the syntax tree, so that every program of a corpus has its variants.
"""

import ast

VARIANTS = ("alias", "partial", "words", "alias_words")


def variants(source):
    """By the name of the variant: the program. Each expression statement is kept in a name.

    >>> print(variants("import torch\\ntorch.load('x', weights_only=False)")["alias_words"])
    import functools
    import torch
    alias_0 = torch.load
    kept_1 = alias_0(*['x'], **{'weights_only': False})
    """
    written = {}
    for name in VARIANTS:
        tree = _Rewriting(name).visit(ast.parse(f"import functools\n{source}"))
        written[name] = ast.unparse(ast.fix_missing_locations(tree))
    return written


class _Rewriting(ast.NodeTransformer):
    """Rewrites the calls whose function is a dotted name."""

    def __init__(self, variant):
        self._variant = variant
        self._count = 0
        self._before = []  # what has to stand before the statement

    def visit(self, node):
        if not isinstance(node, ast.stmt):
            return super().visit(node)
        outer, self._before = self._before, []
        self.generic_visit(node)
        before, self._before = self._before, outer
        if isinstance(node, ast.Expr) and not isinstance(node.value, ast.Yield):
            node = ast.Assign([ast.Name(self._named("kept"), ast.Store())], node.value)
        return [*before, node]

    def _named(self, word):
        self._count += 1
        return f"{word}_{self._count - 1}"

    def visit_Call(self, call):
        self.generic_visit(call)
        first = call.func
        while isinstance(first, ast.Attribute):
            first = first.value
        if not isinstance(first, ast.Name):
            return call
        if self._variant.startswith("alias"):
            name = self._named("alias")
            self._before.append(ast.Assign([ast.Name(name, ast.Store())], call.func))
            call.func = ast.Name(name, ast.Load())
        if self._variant.endswith("words"):
            words = [ast.Constant(each.arg) if each.arg else None for each in call.keywords]
            values = ast.Dict(words, [each.value for each in call.keywords])
            call.args = [ast.Starred(ast.List(call.args, ast.Load()), ast.Load())]
            call.keywords = [ast.keyword(None, values)]
        if self._variant == "partial":
            partial = ast.parse("functools.partial", mode="eval").body
            call = ast.Call(ast.Call(partial, [call.func, *call.args], call.keywords), [], [])
        return call
