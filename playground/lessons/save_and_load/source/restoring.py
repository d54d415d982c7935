"""A model to a file and into a clone, as a program."""

from textwrap import indent

from playground.lessons.save_and_load.records import RestoreModel
from playground.modules.source import as_sequential
from playground.modules.source.program import input_names

SEEDED = "torch.manual_seed({seed})\n"


def restore_model(settings: RestoreModel) -> str:
    """Save, build anew, load, and compare the outputs."""
    network, seed = settings.spec, settings.seed
    inputs = ", ".join(input_names(len(network.input)))
    text = as_sequential(network, seed=seed, run=True)
    head, _, body = text.partition(SEEDED.format(seed=seed))
    making, _, drawing = body.rpartition("\n\nX")
    making = indent(making.replace("net = ", "return ", 1), "    ")
    drawing = f"X{drawing}".rpartition("Y = ")[0]
    load = 'print(clone.load_state_dict(torch.load("net.params")))\n' if settings.loads else ""
    evaluate = "clone.eval()\n" if settings.evaluates else ""
    return f"""\
{head.rstrip()}


def make():
{making}


{SEEDED.format(seed=seed)}net = make()
{drawing}
net.eval()
Y = net({inputs})
torch.save(net.state_dict(), "net.params")

{SEEDED.format(seed=seed + 1)}clone = make()
{load}{evaluate}Y_clone = clone({inputs})
equal = Y_clone == Y
print(bool(equal.all()))

result = (int(equal.sum()), equal.numel())
"""
