"""Numbers as a sentence or a picture has them."""

Grid = tuple[tuple[float, ...], ...]  # the first rows and columns of a tensor
Shape = tuple[int, ...]


def shape_text(shape: Shape | None) -> str:
    """A shape as a table has it; a dash where there is none.

    >>> shape_text((2, 3)), shape_text(()), shape_text(None)
    ('2 × 3', '1', '—')
    """
    if shape is None:
        return "—"
    return " × ".join(map(str, shape)) or "1"
