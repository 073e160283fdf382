"""Waiting for what takes a while."""

import time

# The longest time that anything may take to start.
START_TIMEOUT = 20.0


def wait_until(is_so, what, words=None, timeout=START_TIMEOUT, pause=0.05):
    """Waits until `is_so()`, which may not be reachable yet; otherwise fails with the last `words()`, if
    there are any."""
    give_up = time.monotonic() + timeout
    unreachable = None
    while time.monotonic() < give_up:
        try:
            if is_so():
                return
            unreachable = None
        except OSError as error:
            unreachable = error
        time.sleep(pause)
    raise AssertionError(f"{what}; last words: {words()}" if words else what) from unreachable


def least(measure, bound, times=3):
    """Measures until it is less than `bound`, a few times at most, as any one measurement may contain
    a stall of the machine. Returns the least."""
    measured = []
    while not measured or (min(measured) >= bound and len(measured) < times):
        measured.append(measure())
    return min(measured)
