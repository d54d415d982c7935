import inspect
import json
import sys
import warnings

import pytest
import torch
from torch import nn

from playground.sandbox.allowed_names import ATTRIBUTES, IMPORTS, MODULES
from tools import editor_names

NAMES = json.loads(editor_names.FILE.read_text("utf-8"))
REMEDY = "run `python -m tools.editor_names`"


def test_the_editor_knows_every_name_of_the_sandbox_and_no_other():
    assert NAMES["modules"].keys() == NAMES["parts"].keys() == MODULES.keys(), REMEDY
    for name, module in MODULES.items():
        assert NAMES["modules"][name].keys() == set(module.members), REMEDY
        assert set(NAMES["parts"][name].split()) == set(module.parts), REMEDY
    assert NAMES["imports"].keys() == IMPORTS.keys(), REMEDY
    for members in NAMES["objects"].values():
        assert members
        assert members.keys() <= ATTRIBUTES


@pytest.mark.skipif(
    sys.version_info >= (3, 13), reason="its warnings.deprecated hides the signatures of classes"
)
def test_signatures_and_sentences_are_those_of_the_installed_packages():
    """Skipped where other versions are installed than the file was made from."""
    for package, version in NAMES["versions"].items():
        if editor_names.version(package) != version:
            pytest.skip(f"made from {package} {version}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that torch is going to remove
        made = editor_names.table()

    for name, members in made["modules"].items():
        if name.partition(".")[0] in NAMES["versions"]:
            assert NAMES["modules"][name] == members, REMEDY
    for kind in ("Tensor", "Module", "Optimizer", "ndarray"):
        assert NAMES["objects"][kind] == made["objects"][kind], REMEDY


def test_the_packages_that_are_quoted_have_their_licences_beside_it():
    written = editor_names.FILE.with_name("names-LICENSES.txt").read_text("utf-8")
    _, *parts = written.split("\n== ")

    assert [each.split()[0] for each in parts] == list(editor_names.DOCUMENTED)
    assert all("Copyright" in each or "copyright" in each for each in parts)


@pytest.mark.parametrize(
    ("owner", "name", "real"),
    [
        ("torch.nn", "Conv2d", nn.Conv2d),
        ("torch.optim", "SGD", torch.optim.SGD),
        ("torch.nn.utils", "clip_grad_norm_", nn.utils.clip_grad_norm_),
    ],
)
def test_a_signature_has_the_parameters_and_the_defaults(owner, name, real):
    written = NAMES["modules"][owner][name].split("\n")[0]
    taken: dict[str, object] = {}
    exec(f"def stub{written}: return None", {"torch": torch}, taken)
    found, wanted = (
        [(name, each.default) for name, each in inspect.signature(made).parameters.items()]
        for made in (taken["stub"], real)
    )

    assert found == wanted


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Return :class:`~torch.Size` of ``x``. And more.", "Return torch.Size of x."),
        ("Take 1.5 of it\nand go on.\n\nMore.", "Take 1.5 of it and go on."),
        (".. note:: Nothing", ""),
        ("", ""),
    ],
)
def test_the_first_sentence_is_plain_text(text, sentence):
    assert editor_names.first_sentence(text) == sentence
