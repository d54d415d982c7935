"""Numbers and sizes as text, with binary prefixes."""

KIBIBYTE = 2**10
MEBIBYTE = 2**20
GIBIBYTE = 2**30


def format_bytes(size_bytes: int) -> str:
    """Format a size as PyTorch's memory messages do.

    >>> format_bytes(1), format_bytes(24), format_bytes(3 * GIBIBYTE // 2)
    ('1 byte', '24 bytes', '1.50 GiB')
    """
    for unit, name in ((GIBIBYTE, "GiB"), (MEBIBYTE, "MiB"), (KIBIBYTE, "KiB")):
        if size_bytes >= unit:
            return f"{size_bytes / unit:.2f} {name}"
    return "1 byte" if size_bytes == 1 else f"{size_bytes} bytes"


def grouped(number: int) -> str:
    """Format an integer in groups of three digits, with narrow non-breaking spaces.

    >>> grouped(4_000_000).split("\u202f")
    ['4', '000', '000']
    """
    return f"{number:,}".replace(",", "\u202f")


def short(number: float | None, digits: int = 3) -> str:
    """Format a number for a sentence, with few digits; a missing one is a dash.

    >>> short(0.0), short(-2.0), short(0.123456), short(1.2345e-9, digits=4), short(None)
    ('0', '-2', '0.123', '1.235e-09', '—')
    """
    return "—" if number is None else f"{number:.{digits}g}"
