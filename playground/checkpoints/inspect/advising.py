"""Which advice belongs to which refusal."""

from playground.checkpoints.inspect.verdicts import Verdict

_BY_REASON = {
    "global_sparse": "dense",
    "global_quantized": "dense",
    "global_nested": "nested",
    "global_meta": "meta",
    "global_dtype": "dtype",
    "global_subclass": "plain_tensors",
    "global_storage": "plain_tensors",
    "global_numpy": "plain_values",
    "global_python": "plain_values",
    "global_program": "do_not_load",
    "bad_tensor_flags": "resolved",
    "bad_tensor_bare": "plain_tensors",
    "bad_tensor_device": "device",
    "pickle_protocol": "again",
    "not_a_checkpoint_npz": "npz",
    "not_a_checkpoint_package": "state_dict",
    "not_a_checkpoint_around": "unpack",
    "crc_none": "checksums",
    "bad_header_text": "other",
    "unknown_packed": "unpack",
    "tar_other": "unpack",
}
_BY_VERDICT = {
    Verdict.FORBIDDEN_GLOBAL: "state_dict",
    Verdict.TORCHSCRIPT: "state_dict",
    Verdict.PT2: "state_dict",
    Verdict.LEGACY: "resave",
    Verdict.TAR: "resave",
    Verdict.COMPRESSED: "original",
    Verdict.ENCRYPTED: "original",
    Verdict.UNEXPECTED_ENTRY: "original",
    Verdict.BAD_NAMES: "original",
    Verdict.DUP_NAMES: "original",
    Verdict.LFS_POINTER: "download",
    Verdict.HTML: "download",
    Verdict.EMPTY: "damaged",
    Verdict.BAD_ZIP: "damaged",
    Verdict.CRC: "damaged",
    Verdict.BAD_HEADER: "damaged",
    Verdict.BAD_LAYOUT: "damaged",
    Verdict.BAD_DTYPE: "dtype",
    Verdict.TOO_BIG: "smaller",
    Verdict.TOO_MANY_ELEMENTS: "smaller",
    Verdict.TOO_MANY_BYTES: "smaller",
    Verdict.TOO_MANY_NODES: "simpler",
    Verdict.TOO_DEEP: "simpler",
    Verdict.TOO_MANY_ENTRIES: "simpler",
    Verdict.PICKLE_TOO_LONG: "simpler",
    Verdict.BAD_KEYS: "keys",
    Verdict.BYTE_ORDER: "byte_order",
    Verdict.NPY: "npy",
    Verdict.SEVEN_ZIP: "unpack",
    Verdict.BAD_TENSOR: "damaged",
    Verdict.BAD_PICKLE: "damaged",
    Verdict.DUP_KEYS: "damaged",
    Verdict.PICKLE_NOT_TORCH: "do_not_load",
}


def advice_for(verdict: Verdict, reason: str) -> str:
    """The key of the sentence that says what to do instead.

    >>> advice_for(Verdict.FORBIDDEN_GLOBAL, "global_sparse"), advice_for(Verdict.PNG, "png")
    ('dense', 'other')
    """
    return _BY_REASON.get(reason) or _BY_VERDICT.get(verdict, "other")
