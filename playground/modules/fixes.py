"""Fixes of a network that does not run, ranked, each with its consequence.

Every fix was tried. The first one makes the network run, leaves fewer calls before its end than
now, or takes a layer out: so pressing the first fix again and again ends in a network that runs.
"""

from collections.abc import Callable

from playground.errors import InvalidSpecError
from playground.modules.fix_candidates import candidates, root_of, with_argument
from playground.modules.graph import shape_text
from playground.modules.spec.addresses import address_of
from playground.modules.spec.network import Network
from playground.modules.spec.nodes import Block, Node
from playground.modules.trace_types import ForwardTrace
from playground.modules.workbench_types import Fix, Step

MOST = 3  # that are offered
MAX_TRIED = 12
Trace = Callable[[Network], ForwardTrace]


def fixes(network: Network, trace: ForwardTrace, run: Trace) -> tuple[Fix, ...]:
    """Return at most three fixes, the best first.

    Args:
        network: What fails.
        trace: Its trace.
        run: Traces a network; it may raise ``InvalidSpecError``.
    """
    if trace.outcome.ok:
        return ()
    before = remaining(network, trace)
    found: list[tuple[int, int, Fix]] = []
    seen = {network}
    removals = 0
    for tried, (steps, changed) in enumerate(candidates(network, trace)):
        if changed in seen:
            continue
        seen.add(changed)
        is_removal = steps[0][0] == "remove"
        if tried > MAX_TRIED and not is_removal:
            continue
        if is_removal and (len(found) >= MOST or (found and removals)):
            break  # the batch has not reached a layer after the first of them
        removals += is_removal
        steps, changed, after = _completed(steps, changed, run)
        if after is None:
            continue
        left = remaining(changed, after)
        # What is drawn depends on the parameters before it: tokens may fail in a shorter network.
        is_progress = left < before or (is_removal and left == before)
        if not (after.outcome.ok or is_progress):
            continue
        shape = shape_text(after.rows[0].output) if after.outcome.ok and after.rows else ""
        fix = Fix(steps=steps, network=changed.to_json(), shape=shape)
        found.append((2 * is_removal + (not after.outcome.ok), len(found), fix))
        if sum(rank == 0 for rank, *_ in found) >= MOST:
            break
    ranked = sorted(found, key=lambda each: each[:2])
    return tuple(fix for *_, fix in ranked[:MOST])


def remaining(network: Network, trace: ForwardTrace) -> int:
    """Count the nodes that the batch has not passed: layers and blocks, each copy by itself."""
    done = sum(row.has_returned for row in trace.rows if row.path in _paths(network.block))
    return _calls(network.block) - done


def _calls(node: Node) -> int:
    inside = sum(_calls(child) for child in node.children) if isinstance(node, Block) else 0
    return node.times * (1 + inside)


def _paths(node: Node, path: str = "") -> set[str]:
    found = {path}
    if isinstance(node, Block):
        for child, own in zip(node.children, node.names(), strict=True):
            for name in own:
                found |= _paths(child, f"{path}.{name}" if path else name)
    return found


def _completed(
    steps: tuple[Step, ...], network: Network, run: Trace
) -> tuple[tuple[Step, ...], Network, ForwardTrace | None]:
    """Trace a changed network; a size that the same layer then asks for is set too."""
    try:
        trace = run(network)
        advice = trace.suggestion
        first = steps[0][0]
        if not trace.outcome.ok and advice and advice.argument and first in FOLLOWED:
            root = root_of(network)
            place = address_of(root, advice.path)
            if place is not None:
                more = with_argument(root, place, advice.argument, advice.value)
                network = Network(more[1], network.input)
                return (*steps, more[0]), network, run(network)
    except (InvalidSpecError, IndexError):
        return steps, network, None
    return steps, network, trace


FOLLOWED = ("flatten", "item", "wires", "permute", "unflatten", "unshare", "embed")
