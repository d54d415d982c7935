"""A task whose module leaves a thread behind, as a careless library would."""

import threading
import time


def warm_up():
    threading.Thread(target=time.sleep, args=(3_600,), daemon=True).start()


def self_test(arguments, data, limits):
    return {}
