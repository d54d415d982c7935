"""A control as the page declared it, and the values that a student could give it."""

from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message
from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks import panel

Value = tuple[str, Any]  # the field of WidgetState, and what goes into it
BUTTONS = {"button"}
INPUTS = {"button_group", "number_input", "slider", "checkbox", "text_input"}
PRESSED = BUTTONS | {panel.KIND}  # they have no value between two presses
KINDS = PRESSED | INPUTS | {"file_uploader"}


@dataclass(frozen=True, slots=True)
class Widget:
    """A control on the screen.

    Args:
        kind: Its element type in Streamlit's protocol, one of ``KINDS``.
        element: Its protobuf.
        fragment: The fragment it lives in; "" for the page itself.
        place: "main" or "sidebar".
    """

    kind: str
    element: Any
    fragment: str
    place: str

    @property
    def id(self) -> str:
        """Streamlit's id of it."""
        return str(self.element.id)

    @property
    def key(self) -> str:
        """The key that the app gave it; ids read ``$$ID-<hash>-<key>``."""
        return self.id.split("-", 2)[-1]

    def shown(self) -> Value | None:
        """The value on the screen, as a browser reports it; None where there is none."""
        element = self.element
        match self.kind:
            case "button_group":
                names = _names(element)
                chosen = [names[index] for index in element.default]
                return "string_array_value", (
                    list(element.raw_values) if element.set_value else chosen
                )
            case "number_input":
                return "double_value", element.value if element.set_value else element.default
            case "slider":
                return "double_array_value", list(
                    element.value if element.set_value else element.default
                )
            case "checkbox":
                return "bool_value", element.value if element.set_value else element.default
            case "text_input":
                return "string_value", element.value if element.set_value else element.default
        return None

    def others(self, now: Value | None) -> list[Value]:
        """Values near the present one that a student could give it; for a button, the press."""
        element = self.element
        if self.kind in BUTTONS:
            return [("trigger_value", True)]
        if self.kind == panel.KIND:
            return [(panel.FIELD, event) for event in panel.events(panel.data(element))]
        if now is None or self.kind not in INPUTS or element.disabled:
            return []
        field, value = now
        match self.kind:
            case "button_group":
                return [(field, [name]) for name in _names(element) if [name] != value]
            case "number_input":
                step = element.step or 1.0
                near = (value + step, value - step)
                return [
                    (field, each)
                    for each in near
                    if not (element.has_max and each > element.max)
                    and not (element.has_min and each < element.min)
                ]
            case "slider":
                near = (value[0] + element.step, value[0] - element.step)
                return [(field, [each]) for each in near if element.min <= each <= element.max]
            case "checkbox":
                return [(field, not value)]
        return [(field, value[:-1] if len(value) > 1 else f"{value}1")]


def state_of(widget_id: str, value: Value) -> WidgetState:
    """The state that the browser sends for a widget."""
    field, content = value
    if field == panel.FIELD:
        return WidgetState(
            id=panel.trigger_id(widget_id), json_trigger_value=panel.trigger(content)
        )
    state = WidgetState(id=widget_id)
    if field.endswith("array_value"):
        getattr(state, field).SetInParent()
        getattr(state, field).data.extend(content)
    elif isinstance(content, Message):
        getattr(state, field).CopyFrom(content)
    else:
        setattr(state, field, content)
    return state


def _names(element: Any) -> list[str]:
    return [option.content or option.content_icon for option in element.options]
