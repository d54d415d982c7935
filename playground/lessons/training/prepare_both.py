"""Step "prepare_both": a model moves in place, and a batch is returned."""

from enum import StrEnum

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
)

BATCH = "trainer.prepare_batch(batch)"


class ModelLine(StrEnum):
    """The line that prepares the model; the value is the line."""

    PREPARED = "trainer.prepare_model(model)"
    LEFT_OUT = "# trainer.prepare_model(model)"


class BatchLine(StrEnum):
    """The line that prepares the batch; the value is the line."""

    KEPT = f"batch = {BATCH}"
    LOST = BATCH
    LEFT_OUT = f"# {BATCH}"


class PrepareBoth(Step):
    """Prepare the model, the batch, both or neither, and pass the batch to the model."""

    machine: Machine = Machine()
    model_line: ModelLine = ModelLine.PREPARED
    batch_line: BatchLine = BatchLine.LOST
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        """Build one step of the training loop, up to the loss."""
        model = ModelLine.PREPARED if self.is_fixed else w.model_line
        batch = BatchLine.KEPT if self.is_fixed else w.batch_line
        return f"""
            import torch
            from torch import nn
            from torch.nn import functional as F

            model = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 2))
            batch = [torch.randn(40, 2), torch.arange(40) % 2]

            class Trainer:
                def __init__(self, num_gpus=0):
                    count = min(num_gpus, torch.cuda.device_count())
                    self.gpus = [torch.device(f"cuda:{{i}}") for i in range(count)]

                def prepare_model(self, model):
                    if self.gpus:
                        model.to(self.gpus[0])
            {w.folded}
                def prepare_batch(self, batch):
                    if self.gpus:
                        batch = [each.to(self.gpus[0]) for each in batch]
                    return batch

            trainer = Trainer(num_gpus=1)
            {model}
            {batch}
            X, y = batch
            loss = F.cross_entropy(model(X), y){w.asked}
            print(loss.device)
        """

    def answer(self, run: Run) -> Answer:
        """Compare the devices of the model and the batch."""
        model, batch = str(next(run["model"].parameters()).device), run.device_of("X")
        return Answer(
            prediction="works" if run.outcome.ok else run.outcome.error_type,
            explanation=self.explanation(model, str(batch)),
            facts={"model_device": model, "batch_device": batch},
            fix=None if run.outcome.ok else self.tried_fix(),
            data=self.map(model, str(batch)),
            is_silent_failure=run.outcome.ok and model == "cpu" != self.first_gpu(run),
        )

    def first_gpu(self, run: Run) -> str:
        """Return the device that the Trainer uses."""
        return next((str(gpu) for gpu in run["trainer"].gpus), "cpu")

    def explanation(self, model: str, batch: str) -> str:
        if model == batch:
            return "together-on-cpu" if model == "cpu" else "together-on-gpu"
        if batch != "cpu":
            return "model-left"
        return "copy-lost" if self.batch_line is BatchLine.LOST else "batch-left"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        """Show the model and the batch; before the answer on the devices where they were made."""
        del labels
        return device_map.draw(answer.data if answer else self.map("cpu", "cpu"))

    def map(self, model: str, batch: str) -> device_map.DeviceMap:
        items = (
            device_map.Item(label="model", place=model),
            device_map.Item(label="X, y", place=batch),
        )
        return device_map.DeviceMap(
            devices=device_map.devices_shown(self.machine),
            is_simulated=self.machine.is_simulated,
            items=items,
        )


def works_on_the_cpu(step: PrepareBoth, answer: Answer) -> bool:
    """Check that the program works without preparing the model."""
    return answer.outcome.ok and step.model_line is ModelLine.LEFT_OUT and not step.is_fixed
