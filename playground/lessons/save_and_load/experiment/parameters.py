"""A built network's parameters as the bytes of a file."""

from playground.checkpoints.save import built_network, save_safetensors, save_torch
from playground.errors import CheckpointUnwritableError
from playground.lessons.save_and_load.records import FileFormat, WriteFileReport, WriteParameters
from playground.modules.spec import Network


def write_parameters(settings: WriteParameters) -> WriteFileReport:
    """Build the network anew and save what ``state_dict()`` returns.

    Raises:
        CheckpointTooLargeError: Its parameters would fill too large a file.
        CheckpointUnwritableError: safetensors refuses it, such as tensors that share memory.
        InvalidSpecError: It cannot be built.
    """
    state = built_network(Network.from_json(settings.network), settings.seed).state_dict()
    save = save_torch if settings.format is FileFormat.TORCH else save_safetensors
    saved = save(state)
    if saved.data is None:
        raise CheckpointUnwritableError("checkpoint_unwritable", text=saved.outcome.message)
    return WriteFileReport(data=saved.data, file_name=settings.file_name)
