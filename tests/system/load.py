"""Calls at a steady rate, made by a process of its own, and what became of each.

`Load` starts the process and reads the tally. One line of JSON tells the process what to send to whom; it
continues until its standard input ends. It knows nothing of the messages, which come as bytes.
"""

import base64
import collections
import json
import subprocess
import sys
import threading
import time

import grpc

# A call that takes longer has failed, whatever it would have returned.
PATIENCE = 20.0


class Load:
    """Sends `requests`, (method, message) pairs, in turn at `rate` calls a second over `channels`
    connections, beside `streams` SolveStream calls at a time."""

    def __init__(self, address, requests, rate, streams=(), channels=2, service_config=None):
        self._process = subprocess.Popen(
            [sys.executable, "-B", __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        order = {
            "address": address,
            "requests": [(method, encoded(message)) for method, message in requests],
            "rate": rate,
            "streams": [encoded(message) for message in streams],
            "channels": channels,
            "service_config": service_config,
        }
        print(json.dumps(order), file=self._process.stdin, flush=True)

    def end(self):
        """Ends the load, and returns the tally once all calls have ended."""
        output, _ = self._process.communicate(timeout=PATIENCE + 10)
        return Tally(**json.loads(output))

    def stop(self):
        """For cleanup: stops the process, whatever it is doing."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.communicate()


class Tally:
    def __init__(self, unary, streams, failures, seconds, p50, p99, longest):
        # How often each code was the answer.
        self.unary, self.streams = unary, streams
        # The messages of the first calls that failed.
        self.failures = failures
        self.rate = sum(unary.values()) / seconds
        self.p50, self.p99, self.longest = p50, p99, longest

    def __str__(self):
        return (
            f"{spelled(self.unary)}; {self.rate:.0f}/s, p50 {self.p50 * 1e3:.1f} ms, "
            f"p99 {self.p99 * 1e3:.1f} ms, at most {self.longest * 1e3:.0f} ms; "
            f"streams: {spelled(self.streams)}"
        )


def spelled(codes):
    return ", ".join(f"{count:,} {code}" for code, count in sorted(codes.items())) or "none"


def failed(codes):
    return sum(count for code, count in codes.items() if code != "OK")


def encoded(message):
    return base64.b64encode(message.SerializeToString()).decode()


class Caller:
    def __init__(self, order):
        options = [
            ("grpc.use_local_subchannel_pool", 1),
            # A list of addresses is not a name that a request may contain.
            ("grpc.default_authority", "loyd"),
            ("grpc.enable_retries", 1 if order["service_config"] else 0),
        ]
        if order["service_config"]:
            options.append(("grpc.service_config", json.dumps(order["service_config"])))
            # As deploy/client/README.md advises.
            options.append(("grpc.initial_reconnect_backoff_ms", 100))
            options.append(("grpc.max_reconnect_backoff_ms", 1000))
        self.channels = [
            grpc.insecure_channel(order["address"], [*options, ("loyd.number", number)])
            for number in range(order["channels"])
        ]
        methods = {method for method, _ in order["requests"]}
        self.calls = [
            {
                method: channel.unary_unary(f"/loyd.v1.PuzzleService/{method}")
                for method in methods
            }
            for channel in self.channels
        ]
        self.requests = [(method, base64.b64decode(text)) for method, text in order["requests"]]
        self.streams = [base64.b64decode(text) for text in order["streams"]]
        self.rate = order["rate"]
        self.unary, self.streams_ended = collections.Counter(), collections.Counter()
        self.failures = []
        self.times = []
        self.in_flight = 0
        self.changed = threading.Condition()
        self.ending = threading.Event()

    def run(self):
        begun = time.monotonic()
        threads = [
            threading.Thread(target=self.stream, args=(number, request), daemon=True)
            for number, request in enumerate(self.streams)
        ]
        for thread in threads:
            thread.start()
        sent = 0
        while not self.ending.is_set():
            due = int((time.monotonic() - begun) * self.rate) if self.requests else 0
            for number in range(sent, due):
                self.call(number)
            sent = max(sent, due)
            time.sleep(0.002)
        for thread in threads:
            thread.join(PATIENCE)
        with self.changed:
            self.changed.wait_for(lambda: self.in_flight == 0, PATIENCE)
        return time.monotonic() - begun

    def call(self, number):
        method, request = self.requests[number % len(self.requests)]
        call = self.calls[number % len(self.calls)][method]
        with self.changed:
            self.in_flight += 1
        asked = time.monotonic()
        future = call.future(request, timeout=PATIENCE)

        def ended(call):
            self.times.append(time.monotonic() - asked)
            self.ended(self.unary, method, call)

        future.add_done_callback(ended)

    def stream(self, number, request):
        call = self.channels[number % len(self.channels)].unary_stream(
            "/loyd.v1.PuzzleService/SolveStream"
        )
        while not self.ending.is_set():
            with self.changed:
                self.in_flight += 1
            answers = call(request, timeout=PATIENCE)
            try:
                for _ in answers:
                    pass
            except grpc.RpcError:
                pass
            self.ended(self.streams_ended, "SolveStream", answers)

    def ended(self, codes, method, call):
        code = call.code().name
        with self.changed:
            codes[code] += 1
            if code != "OK" and len(self.failures) < 20:
                self.failures.append(f"{method}: {code}: {call.details()}")
            self.in_flight -= 1
            self.changed.notify_all()

    def tally(self, seconds):
        # What has not ended by now has failed as well.
        if self.in_flight:
            self.unary["NEVER_ENDED"] = self.in_flight
        times = sorted(self.times) or [0.0]
        return {
            "unary": self.unary,
            "streams": self.streams_ended,
            "failures": self.failures,
            "seconds": seconds,
            "p50": times[len(times) // 2],
            "p99": times[len(times) * 99 // 100],
            "longest": times[-1],
        }


def main():
    caller = Caller(json.loads(sys.stdin.readline()))

    def wait_for_the_end():
        sys.stdin.read()
        caller.ending.set()

    threading.Thread(target=wait_for_the_end, daemon=True).start()
    seconds = caller.run()
    print(json.dumps(caller.tally(seconds)), flush=True)


if __name__ == "__main__":
    main()
