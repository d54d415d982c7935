"""The cookies that an answer sets, altered on its way to the browser."""

from collections.abc import Callable

from starlette.datastructures import MutableHeaders


def alter(headers: MutableHeaders, change: Callable[[str], str]) -> None:
    """Put another in the place of every cookie that is set.

    >>> headers = MutableHeaders({"set-cookie": "a=1"})
    >>> alter(headers, str.upper)
    >>> headers.getlist("set-cookie")
    ['A=1']
    """
    given = headers.getlist("set-cookie")
    del headers["set-cookie"]
    for each in given:
        headers.append("set-cookie", change(each))
