"""Mixed load for a long time, and whether memory stays flat.

    tests/system/run soak.py --minutes 60

Prints the resident memory as it goes.
Exits with 1 if memory still grows after everything has been asked for once, or if a call fails unexpectedly.
"""

import argparse
import random
import sys
import threading
import time

import grpc
from client import Client
from load import Load, failed
from server import Server

# Before that, caches, tables and buffers fill.
WARM_UP = 1 / 3

# A cache that is full by then; one of the usual size would go on filling for hours.
CACHE = "--cache-memory=1M"

# The fraction of the mean that is noise.
FLAT = 0.03

SAMPLES = 120


class Clutter(threading.Thread):
    """What clients do besides calling properly: they cancel, leave, reconnect and send garbage."""

    def __init__(self, address, seed=1):
        super().__init__(daemon=True)
        self.address = address
        self.dice = random.Random(seed)
        self.ending = threading.Event()
        # The unexpected error that ended it, if any.
        self.error = None
        self.shapes = [(rows, columns) for rows in range(4, 8) for columns in range(4, 8)]

    def run(self):
        try:
            while not self.ending.is_set():
                self.clutter()
        except (grpc.RpcError, AssertionError) as error:
            self.error = error

    def clutter(self):
        rows, columns = self.dice.choice(self.shapes)
        with Client(self.address) as client:
            board = client.boards(rows, columns, seed=self.dice.randrange(1 << 30))[0]
            call = client.Solve.future(client.solve_request(board, "OPTIMAL"), timeout=5)
            stream = client.SolveStream(client.stream_request(board), timeout=5)
            next(stream)
            self.refused(client.raw("Solve"), self.dice.randbytes(40))
            self.refused(client.Solve, client.solve_request([1, 2, 3, 4, 5, 6, 8, 7, 0]))
            self.ending.wait(self.dice.uniform(0, 0.2))
            if self.dice.random() < 0.5:
                call.cancel()
                stream.cancel()

    def refused(self, call, request):
        try:
            call(request, timeout=5)
        except grpc.RpcError:
            return
        raise AssertionError(f"not refused: {request}")


def requests(client):
    """Thousands of different questions, so that the cache alone cannot answer them."""
    # Without large tables a hard 15-puzzle would take seconds; this one takes what it is given.
    limits = client.message("Limits")
    limits.max_time.FromMilliseconds(100)
    mix = []
    for rows, columns, count, objective in (
        (3, 3, 500, "OPTIMAL"),
        (4, 4, 500, "BEST"),
        (10, 10, 20, "FAST"),
        (32, 32, 20, "FAST"),
    ):
        for board in client.boards(rows, columns, count=count, seed=rows):
            bounded = {"limits": limits} if objective == "BEST" else {}
            mix.append(("Solve", client.solve_request(board, objective, **bounded)))
            mix.append(("CheckSolvable", client.message("CheckSolvableRequest", board=board)))
    for seed in range(200):
        mix.append(("Generate", client.message("GenerateRequest", rows=4, count=3, seed=seed)))
    random.Random(1).shuffle(mix)
    return mix


def streams(client):
    limits = client.message("Limits")
    limits.max_time.FromMilliseconds(300)
    return [
        client.stream_request(board, solve={"limits": limits})
        for board in client.boards(6, count=2, seed=6)
    ]


def slope(samples):
    """The growth per second of the line that fits (seconds, bytes) best."""
    count = len(samples)
    mean_x = sum(x for x, _ in samples) / count
    mean_y = sum(y for _, y in samples) / count
    spread = sum((x - mean_x) ** 2 for x, _ in samples)
    return sum((x - mean_x) * (y - mean_y) for x, y in samples) / spread


def flat(samples):
    """Whether memory stays flat after the warm-up, and a description of the result.

    Resident memory goes up and down with what the allocator gives back, so the line through some minutes of
    it is never level. A leak raises both the line and the highest value ever seen.
    """
    after = samples[int(len(samples) * WARM_UP) :]
    mean = sum(y for _, y in after) / len(after)
    grown = slope(after) * (after[-1][0] - after[0][0]) / mean
    middle = len(samples) // 2
    peaks = [max(y for _, y in half) for half in (samples[:middle], samples[middle:])]
    lifted = peaks[1] / peaks[0] - 1
    told = (
        f"mean {mean / 1e6:.1f} MB, {slope(after) * 3600 / 1e6:+.1f} MB an hour by linear fit, "
        f"{grown:+.1%} in the {(after[-1][0] - after[0][0]) / 60:.1f} minutes after the warm-up; "
        f"highest {peaks[0] / 1e6:.1f} MB in the first half, {peaks[1] / 1e6:.1f} MB in the second"
    )
    return grown < FLAT or lifted < FLAT, told


def soak(minutes, rate, say=print):
    """Soaks a server of its own. Returns whether memory stayed flat, and whether everything else went
    well."""
    seconds = minutes * 60
    with Server("--log=warn,loyd::cli=info", CACHE) as server:
        with Client(server.address) as client:
            load = Load(server.address, requests(client), rate, streams(client), channels=4)
            clutter = Clutter(server.address)
            clutter.start()
            samples = []
            begun = time.monotonic()
            try:
                while (passed := time.monotonic() - begun) < seconds:
                    samples.append((passed, server.resident_bytes()))
                    say(f"{passed:7.0f} s  {samples[-1][1] / 1e6:7.1f} MB resident")
                    time.sleep(seconds / SAMPLES)
                clutter.ending.set()
                clutter.join(20)
                tally = load.end()
            finally:
                load.stop()
        is_flat, told = flat(samples)
        panics = sum(
            value for name, value in server.metrics().items() if name.startswith("loyd_panics")
        )
        say(f"{tally}\n{told}: {'flat' if is_flat else 'NOT FLAT'}")
        lost = failed(tally.unary) + failed(tally.streams)
        wrong = [*tally.failures, *server.errors(), *([clutter.error] if clutter.error else [])]
        if lost or panics or wrong:
            say(f"{lost} calls failed, {panics:.0f} panics: {wrong}")
        return is_flat, not (lost or panics or wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--rate", type=float, default=300, help="calls a second")
    chosen = parser.parse_args()
    return 0 if all(soak(chosen.minutes, chosen.rate)) else 1


if __name__ == "__main__":
    sys.exit(main())
