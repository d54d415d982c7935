"""Other programs' zips, told apart by the names in them, so that a refusal can name them."""

from collections.abc import Sequence

from playground.checkpoints.inspect.shown import shown
from playground.checkpoints.inspect.verdicts import RefusedError, Verdict

_CHECKPOINTS = (".pt", ".pth", ".bin", ".ckpt", ".safetensors")
_MARKS = (  # a name that only zips of this kind hold
    ("[Content_Types].xml", "Office"),
    ("model.weights.h5", "Keras"),
    ("META-INF/MANIFEST.MF", "JAR"),
    ("AndroidManifest.xml", "APK"),
    ("mimetype", "OpenDocument / EPUB"),
)


def other_zip(names: Sequence[str]) -> RefusedError:
    """The refusal of a zip in which there is no folder with a data.pkl.

    >>> other_zip(["a.npy", "b.npy"]).reason, other_zip(["model.pt"]).reason
    ('not_a_checkpoint_npz', 'not_a_checkpoint_around')
    """
    verdict = Verdict.NOT_A_CHECKPOINT
    if names and all(name.endswith(".npy") for name in names):
        return RefusedError(verdict, "not_a_checkpoint_npz")
    if any(name.endswith("/.data/extern_modules") for name in names):
        return RefusedError(verdict, "not_a_checkpoint_package")
    for name in names:
        if name.lower().endswith(_CHECKPOINTS):
            return RefusedError(verdict, "not_a_checkpoint_around", name=shown(name))
    for mark, kind in _MARKS:
        if mark in names:
            return RefusedError(verdict, "not_a_checkpoint_named", name=kind)
    return RefusedError(verdict)
