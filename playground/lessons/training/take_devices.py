"""Step "take_devices": a Trainer that uses the available GPUs and prepares the model."""

from playground.steps import Answer, Labels, Machine, Picture, Run, Step, Words, device_map, number


class TakeDevices(Step):
    """Make a Trainer with a maximum number of GPUs, and let it prepare a model."""

    machine: Machine = Machine()
    num_gpus: int = number(-1, 8, default=4)

    def code(self, w: Words) -> str:
        """Show the device code of the Trainer, and a model for it."""
        return f"""
            import torch
            from torch import nn

            model = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 2)){w.folded}
            class Trainer:
                def __init__(self, max_epochs, num_gpus=0):
                    count = min(num_gpus, torch.cuda.device_count())
                    self.gpus = [torch.device(f"cuda:{{i}}") for i in range(count)]

                def prepare_model(self, model):
                    if self.gpus:
                        model.to(self.gpus[0])

            trainer = Trainer(max_epochs=10, num_gpus={w.num_gpus})
            trainer.prepare_model(model)
            print(next(model.parameters()).device){w.asked}
        """

    def answer(self, run: Run) -> Answer:
        """Report the Trainer's devices, and the device of the model."""
        taken = [str(gpu) for gpu in run["trainer"].gpus]
        available = run["torch"].cuda.device_count()
        device = str(next(run["model"].parameters()).device)
        return Answer(
            prediction=device,
            explanation=self.explanation(len(taken)),
            facts={"available": available, "gpus": ", ".join(taken) or "[]"},
            placeholders={"count": len(taken), "wanted": self.num_gpus},
            data=self.map(available, device),
            is_silent_failure=not taken and self.num_gpus != 0,
        )

    def explanation(self, count: int) -> str:
        if count == 0:
            return {-1: "minus-one", 0: "none-wanted"}.get(self.num_gpus, "none-there")
        return "first-of-several" if count > 1 else "only-one"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        """Show the device of the model; before the answer the one where it was made."""
        del labels
        return device_map.draw(answer.data if answer else self.map(None, "cpu"))

    def map(self, available: int | None, device: str) -> device_map.DeviceMap:
        return device_map.DeviceMap(
            devices=device_map.devices_shown(self.machine, available),
            is_simulated=self.machine.is_simulated,
            items=(device_map.Item(label="model", place=device),),
        )
