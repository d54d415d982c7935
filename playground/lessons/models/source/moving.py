"""Programs in which a module moves: the catalogue's, cut from its own file, and an optimizer's."""

import ast
import difflib
from functools import cache
from pathlib import Path

from playground.lessons.models.records import (
    CatalogueModule,
    Moment,
    MoveModel,
    MoveWithOptimizer,
    Remedy,
    Way,
)

CATALOGUE = Path(__file__).parent.parent / "experiment" / "catalogue.py"


@cache
def class_texts() -> dict[str, str]:
    """The classes of the catalogue as they are written, by name: what is shown is what runs."""
    text = CATALOGUE.read_text(encoding="utf-8")
    return {
        node.name: ast.get_source_segment(text, node) or ""
        for node in ast.parse(text).body
        if isinstance(node, ast.ClassDef)
    }


def move_model(settings: MoveModel) -> str:
    """Move a module and use it, as it is."""
    return _program(settings, is_mended=False)


def repair_model(settings: MoveModel) -> str:
    """The same with the fault mended."""
    return _program(settings, is_mended=True)


def mend_model(settings: MoveModel) -> tuple[str, str]:
    """What was mended: the lines that go, and the lines that come, names and docstrings aside."""
    before, after = (
        [line for line in _program(settings, is_mended).splitlines() if _is_code(line)]
        for is_mended in (False, True)
    )
    changes = list(difflib.ndiff(before, after))
    gone = [each[2:].strip() for each in changes if each.startswith("- ")]
    come = [each[2:].strip() for each in changes if each.startswith("+ ")]
    return "\n".join(gone), "\n".join(come)


def _is_code(line: str) -> bool:
    bare = line.strip()
    return bool(bare) and not bare.startswith(("class ", '"""', "net = "))


def _program(settings: MoveModel, is_mended: bool) -> str:
    module, device = settings.module, settings.device
    name = module.repaired_class_name if is_mended else module.class_name
    lines = ["import torch", "from torch import nn", "", "", *class_texts()[name].splitlines()]
    lines += ["", "", "torch.manual_seed(0)", f"net = {name}()"]
    if module == CatalogueModule.LOSS:
        lines.append("criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 3.0]))")
    if module == CatalogueModule.OPTIMIZER:
        lines += [
            "optimizer = torch.optim.Adam(net.parameters(), lr=0.1)",
            "net(torch.ones(2, 4)).sum().backward()",
            "optimizer.step()  # now Adam keeps two averages for each parameter",
        ]
    lines.append(f'net.to("{device}")')
    if is_mended and module == CatalogueModule.LOSS:
        lines.append(f'criterion.to("{device}")')
    if is_mended and module == CatalogueModule.OPTIMIZER:
        lines.append("optimizer.load_state_dict(optimizer.state_dict())")
    lines += ["", f'Y = net(torch.ones(2, 4, device="{device}"))']
    if module == CatalogueModule.LOSS:
        lines.append(f'Y = criterion(Y, torch.tensor([0, 2], device="{device}"))')
    if module == CatalogueModule.OPTIMIZER:
        lines += ["optimizer.zero_grad()", "Y.sum().backward()", "optimizer.step()"]
    lines += ["", "result = (str(Y.device), str(Y.tolist()))"]
    return "\n".join(lines) + "\n"


def move_with_optimizer(settings: MoveWithOptimizer) -> str:
    """Make an optimizer before or after the move, and take a step."""
    target = settings.target
    made = f"optimizer = {settings.optimizer.written}"
    is_early = settings.moment == Moment.BEFORE
    moved = f'net.to("{target}")'
    if is_early and settings.way == Way.REPLACED:
        moved = "\n".join(
            f'net.{name} = nn.Parameter(net.{name}.detach().to("{target}"))'
            for name in ("weight", "bias")
        )
    steps = f"for _ in range({settings.steps}):\n    train_on(torch.ones(2, 4))"
    lines = ["import torch", "from torch import nn", "", "torch.manual_seed(0)"]
    lines += ["net = nn.Linear(4, 3)", "weight = net.weight", "", ""]
    lines += [
        "def train_on(X):",
        "    optimizer.zero_grad()",
        "    net(X).sum().backward()",
        "    optimizer.step()",
        "",
        "",
    ]
    if is_early:
        lines += [made, *([steps] if settings.steps else []), moved]
        if settings.remedy == Remedy.LOAD:
            lines.append("optimizer.load_state_dict(optimizer.state_dict())")
    else:
        lines += [moved, made]
    lines += [
        "",
        "old = net.weight.detach().clone()",
        f'train_on(torch.ones(2, 4, device="{target}"))',
        "",
        "result = (net.weight is weight, not torch.equal(old, net.weight))",
    ]
    return "\n".join(lines) + "\n"
