"""Step on pinned memory: host memory from which a GPU can copy directly."""

from playground.steps import (
    Answer,
    Device,
    Labels,
    Machine,
    Picture,
    Run,
    Step,
    Words,
    device_map,
    fix_field,
    literal,
)

HOST = "cpu"


class PinnedMemory(Step):
    """Copy a tensor to pinned memory, and that copy to a GPU."""

    machine: Machine = Machine()
    device: Device = "cuda:0"
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        source = "x.cpu()" if self.is_fixed else "x"
        target = "cuda:0" if self.device == HOST else self.device
        return f"""
            import torch

            x = torch.ones(2, 3, device={w.device})
            p = {source}.pin_memory(){w.asked}
            y = p.to({literal(target)}, non_blocking=True)
            print(x.is_pinned(), p.is_pinned())
        """

    def answer(self, run: Run) -> Answer:
        if "x" not in run.names:
            explanation = "no-such-device"
        elif "p" in run.names:
            explanation = "page-locked"
        else:
            is_host = self.device == HOST
            explanation = "pinning-needs-gpu" if is_host else "pinning-is-for-host"
        return Answer(
            prediction="works" if run.outcome.ok else run.outcome.error_type,
            explanation=explanation,
            facts={"is_pinned": run["p"].is_pinned() if "p" in run.names else None},
            placeholders={"device": self.device},
            fix=self.tried_fix() if explanation == "pinning-is-for-host" else None,
            data=tuple(name for name in ("x", "p", "y") if name in run.names),
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        names = ("x",) if answer is None else answer.data
        x_place = self.device if "x" in names else ""
        svg = ways(names, x_place, labels, is_simulated=self.machine.is_simulated)
        return Picture(svg, {"names": ", ".join(names) or "—"})


def ways(names: tuple[str, ...], x_place: str, labels: Labels, *, is_simulated: bool) -> str:
    """Draw host memory on the left and a GPU on the right, with the copies between them."""
    gpu = "cuda:0" if x_place in ("", HOST) else x_place
    parts = [_box(2, HOST, 262), _box(296, gpu, 82, is_simulated=is_simulated)]
    if x_place == HOST:
        parts += [
            _tile(50, 62, "x", HOST),
            _arrow("x-buffer", 70, 62, 134),
            _tile(176, 62, labels["buffer"], HOST, is_pinned=True, width=80),
            _arrow("buffer-gpu", 218, 62, 317),
        ]
    elif x_place:
        parts.append(_tile(337, 62, "x", x_place))
    if "p" in names:
        parts.append(_tile(50, 132, "p", HOST, is_pinned=True))
    if "y" in names:
        parts += [_arrow("p-gpu", 70, 132, 317), _tile(337, 132, "y", gpu)]
    parts.append(
        f'<text x="14" y="178" font-size="13" style="fill:var(--tp-muted)">{labels["thick"]}</text>'
    )
    return f'<svg viewBox="0 0 380 190">{"".join(parts)}</svg>'


def _box(x: float, place: str, width: float, *, is_simulated: bool = False) -> str:
    fill, _, text = device_map.colours(place)
    dash = ' stroke-dasharray="2 4"' if is_simulated else ""
    return (
        f'<g data-id="box-{place}"><rect x="{x}" y="2" width="{width}" height="160" rx="10"'
        f' style="fill:color-mix(in srgb,{fill} 9%,transparent);stroke:{fill}"'
        f' stroke-width="1.8" stroke-linecap="round"{dash}/><text x="{x + 10}" y="20"'
        f' font-size="14" font-weight="650"'
        f' style="fill:{text}">{place}</text></g>'
    )


def _tile(
    x: float, y: float, text: str, place: str, *, is_pinned: bool = False, width: float = 36
) -> str:
    fill, on_fill, dark = device_map.colours(place)
    border = f"stroke:{dark if not is_pinned else 'var(--tp-ink)'}"
    return (
        f'<g data-id="item-{text}"><rect x="{x - width / 2:g}" y="{y - 17:g}" width="{width:g}"'
        f' height="34" rx="7" style="fill:{fill};{border}"'
        f' stroke-width="{4 if is_pinned else 1}"/><text x="{x:g}" y="{y + 5:g}"'
        f' text-anchor="middle" font-size="{15 if width < 40 else 13}" font-weight="650"'
        f' style="fill:{on_fill}">{text}</text></g>'
    )


def _arrow(name: str, x: float, y: float, to_x: float) -> str:
    return (
        f'<path data-id="way-{name}" d="M{x} {y} H{to_x} m-6 -5 l6 5 l-6 5" fill="none"'
        f' style="stroke:var(--tp-ink)" stroke-width="1.8"/>'
    )
