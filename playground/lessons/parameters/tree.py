"""Step on nested blocks: the name of a parameter, and the indices that reach it."""

import html
from enum import StrEnum

from playground.steps import Answer, Labels, Picture, Run, Step, Words, number

BLOCK_1 = """\
def block1():
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(),
                         nn.Linear(8, 4), nn.ReLU())
"""
BLOCKS, LAYERS = 4, ("Linear", "ReLU", "Linear", "ReLU")
LINE, INDENT = 25, 30


class Access(StrEnum):
    """Ways to reach the block; the value is the code, with placeholders for the fields."""

    PLACE = "rgnet[0][{block}]"
    NAME = 'rgnet[0]["block {block}"]'
    SUBMODULE = 'rgnet.get_submodule("0.block {block}")'


class Attribute(StrEnum):
    """The value is the code that the program shows."""

    WEIGHT = "weight"
    BIAS = "bias"


class Tree(Step):
    """Access a parameter of a nested network, and look up its name."""

    access: Access = Access.PLACE
    block: int = number(-BLOCKS, BLOCKS - 1, default=1)
    layer: int = number(-len(LAYERS), len(LAYERS) - 1, default=0)
    attribute: Attribute = Attribute.BIAS

    def code(self, w: Words) -> str:
        reached = f"{self.access.format(block=w.block)}[{w.layer}].{w.attribute}"
        return f"""\
from torch import nn
{w.folded}
{BLOCK_1}def block2():
    net = nn.Sequential()
    for i in range({BLOCKS}):
        net.add_module(f"block {{i}}", block1())
    return net

rgnet = nn.Sequential(block2(), nn.Linear(4, 1))
names = {{p: name for name, p in rgnet.named_parameters()}}
print(names[{reached}]){w.asked}
"""

    @property
    def places(self) -> tuple[int, int]:
        """Indices of block and layer, counted from 0."""
        return self.block % BLOCKS, self.layer % len(LAYERS)

    def choices(self, devices: tuple[str, ...]) -> tuple[str, ...]:
        """Return the name of the parameter, names with a part missing, and errors."""
        del devices
        block, layer = self.places
        end = f"{layer}.{self.attribute}"
        return (
            *(f"0.block {block}.{end}", f"0.{block}.{end}", f"block {block}.{end}"),
            *("TypeError", "AttributeError"),
        )

    def answer(self, run: Run) -> Answer:
        printed = run.printed.strip()
        parameter = run["rgnet"].get_parameter(printed) if run.outcome.ok else None
        return Answer(
            prediction=printed or run.outcome.error_type,
            explanation=self.explanation(run),
            facts={"shape": None if parameter is None else str(tuple(parameter.shape))},
            placeholders={
                "name": printed or None,
                "code": f"{self.access.format(block=self.block)}[{self.layer}].{self.attribute}",
                "block": self.block,
                "layer": self.layer,
                "kind": LAYERS[self.places[1]],
            },
            data=run.outcome.ok,
        )

    def explanation(self, run: Run) -> str:
        if run.outcome.ok:
            if self.layer < 0 or self.block < 0:
                return "counted-from-the-end"
            return "reached" if self.access is Access.PLACE else "reached-by-name"
        if self.access is Access.NAME:
            return "brackets-take-places"
        is_missing = self.access is Access.SUBMODULE and self.block < 0
        return "no-such-name" if is_missing else "no-such-attribute"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        """Show the tree with indices; after the answer, also names and the path."""
        block, layer = self.places
        rows = [("rgnet", "", "Sequential", 0, True), ("[0]", "0", "Sequential", 1, True)]
        for place in range(BLOCKS):
            rows.append((f"[{place}]", f"block {place}", "Sequential", 2, place == block))
            if place == block:
                rows += [
                    (f"[{index}]", str(index), kind, 3, index == layer)
                    for index, kind in enumerate(LAYERS)
                ]
        rows.append(("[1]", "1", "Linear", 1, False))
        parts = [_text(2, 14, labels["place"]), _text(210, 14, labels["name"])]
        for index, (place_code, name, kind, level, is_on_way) in enumerate(rows):
            is_lit = is_on_way and answer is not None and answer.data
            y = 40 + LINE * index
            if is_lit:
                parts.append(
                    f'<rect data-id="lit-{level}" x="0" y="{y - 17}" width="440" height="23" rx="6"'
                    ' style="fill:color-mix(in srgb,var(--tp-accent) 18%,transparent)"/>'
                )
            shown = ("?" if answer is None else name) if level else ""
            parts.append(_text(4 + INDENT * level, y, place_code, is_strong=is_lit))
            parts.append(_text(212, y, shown, is_strong=is_lit))
            parts.append(_text(330, y, kind, ink="var(--tp-muted)"))
        height = 40 + LINE * len(rows) - 10
        svg = f'<svg viewBox="0 0 440 {height}">{"".join(parts)}</svg>'
        return Picture(svg, {"place": f"rgnet[0][{block}][{layer}]"})


def _text(x: int, y: int, text: str, *, ink: str = "", is_strong: bool = False) -> str:
    weight = ' font-weight="700"' if is_strong else ""
    return (
        f'<text x="{x}" y="{y}" font-size="13" font-family="var(--st-code-font, monospace)"'
        f' style="fill:{ink or "var(--tp-ink)"}"{weight}>{html.escape(text)}</text>'
    )


def reaches_block_3(step: Tree, answer: Answer) -> bool:
    """Return whether the second linear layer of the last block was reached from the end."""
    return answer.prediction == "0.block 3.2.weight" and max(step.block, step.layer) < 0
