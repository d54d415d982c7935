"""The page of the lesson save_and_load: what its controls do to what is shown."""

from playground.modules.spec import Block, InputSpec, Layer, Network
from playground.modules.spec.link import to_link
from tests.pages.test_pages import inline, programs, visit

__all__ = ["inline"]  # experiments run in this process
NETWORK = Network(
    Block([Layer("Linear", {"in_features": 5, "out_features": 6}, name="encoder")]),
    InputSpec((2, 5)),
)
LESSON = "save_and_load"
MODEL, KEYS, FOLDER = (f"{LESSON}_{step}" for step in ("model", "keys", "folder"))


def test_model_and_keys_take_the_network_of_the_link() -> None:
    skipped = {f"{step}_predicted": "skipped" for step in (MODEL, KEYS)}
    at = visit(LESSON, network=to_link(NETWORK), **skipped)

    assert not at.exception
    own = [program for program in programs(at) if "nn.Linear(5, 6)" in program]
    assert ["def make():" in program for program in own] == [True, False]
    assert "nn.Linear(5, 12)" in own[1]  # the other network has twice as many outputs


def test_another_network_of_the_lesson_is_another_program() -> None:
    at = visit(LESSON, **{f"{MODEL}_predicted": "skipped"})
    at.button_group(key=f"{MODEL}_own").set_value("dropout").run()
    at.toggle(key=f"{MODEL}_evaluates").set_value(False).run()

    program = next(each for each in programs(at) if "clone = make()" in each)
    assert "nn.Dropout(0.5)" in program
    assert "clone.eval()" not in program


def test_the_folder_that_is_not_there_is_mended_by_whole_lines() -> None:
    at = visit(LESSON, **{f"{FOLDER}_predicted": "skipped"})

    fix = next(each.value for each in at.code if each.value.startswith("- torch.save"))
    assert fix.splitlines() == [
        '- torch.save(x, "data/x")',
        "+ import os",
        '+ os.makedirs("data", exist_ok=True)',
        '+ torch.save(x, "data/x")',
    ]
    assert any(
        "Parent directory data does not exist." in each.proto.body for each in at.get("html")
    )


def test_a_step_that_saved_a_file_has_it_to_take_away() -> None:
    at = visit(LESSON, **{f"{FOLDER}_predicted": "skipped"})
    before = len(at.get("download_button"))
    at.button_group(key=f"{FOLDER}_place").set_value("made").run()

    assert not at.exception
    assert len(at.get("download_button")) == before + 1
