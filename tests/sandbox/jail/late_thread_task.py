"""A task in whose zygote a second thread appears later: when the first signal comes."""

import signal
import threading
import time


def warm_up():
    signal.signal(signal.SIGUSR1, begin_thread)


def begin_thread(*_):
    threading.Thread(target=time.sleep, args=(3_600,), daemon=True).start()


def nothing(arguments, data, limits):
    return {}
