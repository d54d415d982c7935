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
    return {name: _Rewriting(name).rewritten(source) for name in VARIANTS}


class _Rewriting:
    def __init__(self, variant):
        self._variant = variant
        self._count = 0

    def rewritten(self, source):
        tree = ast.parse(source)
        tree.body = [ast.parse("import functools").body[0], *self._block(tree.body)]
        return ast.unparse(ast.fix_missing_locations(tree))

    def _block(self, statements):
        made = []
        for statement in statements:
            calls = _Calls(self._written)
            for field, value in ast.iter_fields(statement):
                if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                    setattr(statement, field, self._block(value))
                elif isinstance(value, list):
                    for each in value:
                        if isinstance(each, ast.ExceptHandler):
                            each.body = self._block(each.body)
                    value[:] = [
                        calls.visit(each) for each in value if isinstance(each, ast.AST)
                    ] or value
                elif isinstance(value, ast.AST):
                    setattr(statement, field, calls.visit(value))
            made += calls.before
            if isinstance(statement, ast.Expr) and not isinstance(statement.value, ast.Yield):
                name = ast.Name(self._named("kept"), ast.Store())
                statement = ast.Assign([name], statement.value)
            made.append(statement)
        return made

    def _named(self, word):
        self._count += 1
        return f"{word}_{self._count - 1}"

    def _written(self, call):
        """A call in another way, and what has to stand before it."""
        before = []
        if self._variant.startswith("alias"):
            name = self._named("alias")
            before = [ast.Assign([ast.Name(name, ast.Store())], call.func)]
            call.func = ast.Name(name, ast.Load())
        if self._variant.endswith("words"):
            named = [each for each in call.keywords if each.arg is not None]
            words = ast.Dict(
                [ast.Constant(each.arg) for each in named], [each.value for each in named]
            )
            call.args = [ast.Starred(ast.List(call.args, ast.Load()), ast.Load())]
            rest = [each for each in call.keywords if each.arg is None]
            call.keywords = [ast.keyword(None, words), *rest]
        if self._variant == "partial":
            partial = ast.parse("functools.partial", mode="eval").body
            call = ast.Call(ast.Call(partial, [call.func, *call.args], call.keywords), [], [])
        return call, before


class _Calls(ast.NodeTransformer):
    """Rewrites the calls of an expression whose function is a dotted name."""

    def __init__(self, write):
        self._write = write
        self.before = []

    def visit_ExceptHandler(self, node):
        return node  # its block is rewritten already

    def visit_Call(self, node):
        self.generic_visit(node)
        first = node.func
        while isinstance(first, ast.Attribute):
            first = first.value
        if not isinstance(first, ast.Name):
            return node
        call, before = self._write(node)
        self.before += before
        return call
