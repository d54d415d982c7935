"""Step on the default device: a tensor is on the CPU unless a device is given."""

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
)

ON_CPU = "tensor([1., 2., 3.])"


class DefaultDevice(Step):
    """Create one tensor without a device and one with a device, and print both."""

    machine: Machine = Machine()
    device: Device = "cpu"

    def code(self, w: Words) -> str:
        return f"""
            import torch

            x = torch.tensor([1.0, 2.0, 3.0])
            y = torch.tensor([1.0, 2.0, 3.0], device={w.device})
            print(y){w.asked}
            print(x.device, y.device)
            print(x.is_cuda, y.is_cuda)
        """

    def choices(self, devices: tuple[str, ...]) -> tuple[str, ...]:
        del devices
        return ON_CPU, f"tensor([1., 2., 3.], device='{self.device}')"

    def answer(self, run: Run) -> Answer:
        y = run.get("y")
        printed = None if y is None else repr(y)
        if printed is None:
            explanation = "no-such-device"
        else:
            explanation = "names-device" if "device" in printed else "names-no-device"
        return Answer(
            prediction=printed or run.outcome.error_type,
            explanation=explanation,
            facts={"x_device": run.device_of("x"), "y_device": run.device_of("y")},
            data=self.map(
                *(device_map.item(name, run[name]) for name in ("x", "y") if name in run.names)
            ),
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        """Show where both are; x only after the answer, since no line gives its device."""
        del labels
        y = device_map.Item(label="y", place=self.device)
        return device_map.draw(answer.data if answer else self.map(y))

    def map(self, *items: device_map.Item) -> device_map.DeviceMap:
        """Describe the machine with these tensors."""
        return device_map.DeviceMap(
            devices=device_map.devices_shown(self.machine),
            is_simulated=self.machine.is_simulated,
            items=items,
        )
