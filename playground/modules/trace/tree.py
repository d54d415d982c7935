"""The tree of modules: what each has registered, and the paths of calls."""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch import nn
from torch.nn.parameter import Parameter, UninitializedBuffer, UninitializedParameter

from playground.modules.trace.recorder import Call

MAX_NAMES = 16  # of one module
UNINITIALISED = (UninitializedParameter, UninitializedBuffer)  # isinstance of them is slow
USUAL = (Parameter, torch.Tensor)

Named = dict[str, torch.Tensor]


class Node:
    """One module, as it was when it was entered.

    Attributes:
        path: Its first name.
        parameters: Its own that are initialised, by name; the same for ``buffers``.
        lazy: Its own that are not initialised.
        children: The modules registered in it, by all their names.
    """

    __slots__ = ("buffers", "children", "lazy", "module", "parameters", "path")

    def __init__(self, module: nn.Module, path: str) -> None:
        self.module = module
        self.path = path
        self.lazy: list[torch.Tensor] = []
        if isinstance(module, torch.jit.ScriptModule):  # its registers are behind properties
            self.parameters: Named = dict(module.named_parameters(recurse=False))
            self.buffers: Named = dict(module.named_buffers(recurse=False))
            self.children: list[tuple[str, nn.Module]] = list(module.named_children())
            return
        held = module.__dict__
        self.parameters = self._initialised(held.get("_parameters"))
        self.buffers = self._initialised(held.get("_buffers"))
        children = held.get("_modules")
        self.children = (
            [each for each in children.items() if each[1] is not None] if children else []
        )

    def _initialised(self, register: Any) -> Named:
        if not register:
            return {}
        known = {}
        for name, each in register.items():
            if type(each) in USUAL:
                known[name] = each
            elif isinstance(each, UNINITIALISED):
                self.lazy.append(each)
            elif each is not None:
                known[name] = each
        return known


class Tree:
    """All registered modules, then those that something hides.

    Attributes:
        root: The module itself.
        nodes: By identity; in the order of ``root.modules()``, then the hidden ones with theirs.
        hidden: Identities of modules that the root does not know.
        loose: Tensors that are neither parameters nor buffers, by the way to them.
    """

    def __init__(self, root: nn.Module) -> None:
        self.root = root
        self.nodes: dict[int, Node] = {}
        self.hidden: set[int] = set()
        self.loose: list[tuple[str, torch.Tensor]] = []
        self._names: dict[int, dict[int, list[str]]] = {}
        self._far: dict[int, dict[int, list[str]]] = {}
        self.add(root, "")

    @property
    def has_lazy(self) -> bool:
        """Something is not initialised, or was not when it was entered."""
        return any(node.lazy for node in self.nodes.values())

    def add(self, module: nn.Module, path: str) -> list[Node]:
        """Enter a module and all below it that are not known yet; returns those."""
        new = []
        waiting = [(path, module)]
        while waiting:
            path, each = waiting.pop()
            if id(each) in self.nodes:
                continue
            node = self.nodes[id(each)] = Node(each, path)
            new.append(node)
            if node.children:
                prefix = f"{path}." if path else ""
                waiting += [(prefix + name, child) for name, child in reversed(node.children)]
        return new

    def add_hidden(self, module: nn.Module, path: str) -> list[Node]:
        """Enter a module that registration does not lead to."""
        new = self.add(module, path)
        self.hidden.update(id(node.module) for node in new)
        return new

    def rebuilt(self) -> "Tree":
        """Build the tree as it is now, with the unregistered modules that this one knows."""
        now = Tree(self.root)
        for each in self.hidden:
            now.add_hidden(self.nodes[each].module, self.nodes[each].path)
        return now

    def node(self, module: nn.Module) -> Node:
        """Return the node of a module; one made in the forward is added as unregistered."""
        found = self.nodes.get(id(module))
        return self.add_hidden(module, f"<{type(module).__name__}>")[0] if found is None else found

    def below(self, module: nn.Module) -> Iterator[Node]:
        """Yield a module and all modules registered below it, each once."""
        seen = {id(module)}
        waiting = [module]
        while waiting:
            node = self.node(waiting.pop())
            yield node
            for _, child in reversed(node.children):
                if id(child) not in seen:
                    seen.add(id(child))
                    waiting.append(child)

    def paths(self, calls: Iterable[Call]) -> list[str]:
        """Return the path of each call.

        A module that has several names in its caller is taken to be called by them in turn, as
        ``nn.Sequential`` does.
        """
        found: dict[int, str] = {}
        turns: dict[tuple[int, int], int] = {}
        for call in calls:
            if call.caller is None:
                found[id(call)] = ""
                continue
            around = found[id(call.caller)]
            names = self._names_in(call.caller.module, call.module)
            if not names:
                known = self.nodes.get(id(call.module))
                made = joined(around, f"<{type(call.module).__name__}>")
                found[id(call)] = made if known is None else known.path
                continue
            turn = 0
            if len(names) > 1:
                key = (id(call.caller), id(call.module))
                turn = turns.get(key, 0)
                turns[key] = turn + 1
            found[id(call)] = joined(around, names[turn % len(names)])
        return list(found.values())

    def _names_in(self, caller: nn.Module, module: nn.Module) -> list[str]:
        near = self._names.get(id(caller))
        if near is None:
            near = {}
            known = self.nodes.get(id(caller))
            for name, child in known.children if known else ():
                near.setdefault(id(child), []).append(name)
            self._names[id(caller)] = near
        names = near.get(id(module))
        if names is None and caller is not module and id(caller) in self.nodes:
            names = self._far_names(caller).get(id(module))
        return names or []

    def _far_names(self, caller: nn.Module) -> dict[int, list[str]]:
        """Names of what lies deeper, e.g. in a ``ModuleList``, which is not called itself."""
        far = self._far.get(id(caller))
        if far is None:
            far = {}
            waiting = deque([("", caller)])
            seen = {id(caller)}
            while waiting:
                path, each = waiting.popleft()
                for name, child in self.nodes[id(each)].children:
                    names = far.setdefault(id(child), [])
                    if len(names) < MAX_NAMES:
                        names.append(joined(path, name))
                    if id(child) not in seen:
                        seen.add(id(child))
                        waiting.append((names[0], child))
            self._far[id(caller)] = far
        return far


def joined(path: str, name: str) -> str:
    """Join the path of a module and a name inside it.

    >>> joined("", "0"), joined("net.0", "weight")
    ('0', 'net.0.weight')
    """
    return f"{path}.{name}" if path else name
