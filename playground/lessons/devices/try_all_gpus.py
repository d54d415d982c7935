"""Step "try_all_gpus": the helper as it is often written, with an empty list without GPUs."""

from playground.steps import (
    Answer,
    Labels,
    Machine,
    Picture,
    Run,
    Step,
    Words,
    device_map,
    fix_field,
    number,
)


class TryAllGpus(Step):
    """Take the first device of the list, on a simulated machine with some number of GPUs."""

    physical_gpus: int = number(0, Machine.MAX_GPUS, default=0)
    is_fixed: bool = fix_field()

    def host(self) -> Machine:
        # the default question needs a machine without GPUs, which the visitor's may have
        return Machine(gpus=self.physical_gpus)

    def code(self, w: Words) -> str:
        alternative = ' or [torch.device("cpu")]' if self.is_fixed else ""
        return f'''
            import torch

            def try_all_gpus():
                """Return all GPUs, or [the CPU] if there are none."""
                n = torch.cuda.device_count()
                gpus = [torch.device(f"cuda:{{i}}") for i in range(n)]
                return gpus{alternative}

            devices = try_all_gpus()
            X = torch.ones(2, 3, device=devices[0]){w.asked}
            print(devices, X.device)
        '''

    def answer(self, run: Run) -> Answer:
        """Report whether there is a first device."""
        devices = [str(each) for each in run["devices"]]
        has_first = "fixed" if self.is_fixed else "has-first"
        return Answer(
            prediction="works" if run.outcome.ok else run.outcome.error_type,
            explanation=has_first if run.outcome.ok else "is-empty",
            facts={"devices": f"[{', '.join(devices)}]", "device": run.device_of("X")},
            placeholders={"count": len(devices)},
            fix=None if run.outcome.ok else self.tried_fix(),
            data=self.map(*([device_map.item("X", run["X"])] if run.outcome.ok else [])),
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        del labels
        return device_map.draw(answer.data if answer else self.map())

    def map(self, *items: device_map.Item) -> device_map.DeviceMap:
        return device_map.DeviceMap(
            devices=device_map.devices_shown(self.host()), is_simulated=True, items=items
        )


def promise_is_kept(step: TryAllGpus, answer: Answer) -> bool:
    """Check that the first device is the CPU where there is no GPU."""
    return step.physical_gpus == 0 and answer.facts["device"] == "cpu"
