"""Files that are not only numbers: their pickles written by hand, as ``torch.save`` writes them."""

TEXT = "This line came out of a file"
PICKLE = """\
# as torch.save writes it for an object
# whose __reduce__ asks for {written}
pickle = (
    "\\x80\\x02"  # PROTO: protocol 2
    "c{module}\\n{function}\\nq\\x00"  # GLOBAL
    "X{length}\\x00\\x00\\x00{argument}q\\x01"  # BINUNICODE
    "\\x85q\\x02"  # TUPLE1: its arguments
    "Rq\\x03"  # REDUCE: call it
    "."  # STOP
).encode("latin-1")
"""
ARCHIVE = """
with zipfile.ZipFile("weights.pt", "w") as archive:
    archive.writestr("weights/data.pkl", pickle)
    archive.writestr("weights/version", "3")"""


def _asking_for(module: str, function: str, written: str, argument: str) -> str:
    """The lines that write a file which asks for a call, where they are read as a pickle."""
    pickle = PICKLE.format(
        module=module,
        function=function,
        written=written,
        length=chr(len(argument)),
        argument=argument,
    )
    return pickle + ARCHIVE


COMMAND = _asking_for("posix", "system", "os.system", f"echo {TEXT}")
PROGRAM = _asking_for("__builtin__", "exec", "exec", f"print('{TEXT}')")
