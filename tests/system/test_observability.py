"""What operators see of a call: its line in the log, and `loyd top`."""

import json
import re
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.request

import grpc
from case import Case
from client import Client
from server import BINARY, Server
from waiting import START_TIMEOUT, wait_until

Code = grpc.StatusCode

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


class Observability(Case):
    def top(self, *flags):
        url = f"http://127.0.0.1:{self.server.metrics_port}/metrics"
        return subprocess.run(
            [BINARY, "top", "--once", "--interval=500ms", "--metrics", url, *flags],
            capture_output=True,
            text=True,
            timeout=30,
        )

    def test_the_log_names_the_callers_trace(self):
        board = self.client.board([1, 2, 3, 0])
        request = self.client.message("CheckSolvableRequest", board=board)
        for number, (parent, trace) in enumerate(
            ((f"00-{TRACE}-00f067aa0ba902b7-01", TRACE), ("00-nothing", None), (None, None))
        ):
            metadata = [("x-request-id", f"trace-{number}")]
            if parent:
                metadata.append(("traceparent", parent))
            self.client.CheckSolvable(request, metadata=metadata)
            # The line may come after the answer.
            line = self.server.wait_for_line(
                lambda line, name=f"trace-{number}": line.get("request_id") == name, "the call"
            )
            self.assertEqual(line.get("trace_id"), trace)

    def test_a_call_that_its_own_limit_ended_has_its_line(self):
        request = self.client.solve_request(self.client.boards(4)[0], "OPTIMAL")
        request.limits.max_nodes = 1
        with self.assertRaises(grpc.RpcError) as refused:
            self.client.Solve(request, metadata=[("x-request-id", "limited")])
        self.assertEqual(refused.exception.code(), grpc.StatusCode.RESOURCE_EXHAUSTED)
        line = self.server.wait_for_line(
            lambda line: line.get("request_id") == "limited", "the call"
        )
        self.assertEqual((line["level"], line["code"]), ("INFO", "RESOURCE_EXHAUSTED"))

    def test_the_line_of_a_call_tells_what_it_took(self):
        # Number 79 of Korf's 15-puzzles, the easiest.
        board = self.client.board([1, 6, 10, 8, 14, 12, 4, 2, 13, 11, 3, 5, 9, 7, 15, 0])
        request = self.client.solve_request(board, "OPTIMAL")
        answer = self.client.Solve(request, metadata=[("x-request-id", "told")])
        line = self.server.wait_for_line(lambda line: line.get("request_id") == "told", "the call")
        told = {
            "method": "Solve",
            "size": "4×4",
            "objective": "optimal",
            "outcome": "optimal",
            "code": "OK",
            "length": 42,
            "nodes": answer.statistics.nodes_generated,
        }
        self.assertEqual({name: line.get(name) for name in told}, told)
        self.assertGreater(line["nodes"], 0)
        # It continued until the answer was sent.
        self.assertEqual(line["queued_us"], answer.statistics.queued.ToMicroseconds())
        self.assertGreaterEqual(line["elapsed_us"], answer.statistics.elapsed.ToMicroseconds())

    def test_the_line_of_a_stream_that_was_cancelled_tells_what_it_took(self):
        for side, objective in ((5, "OPTIMAL"), (128, "FAST")):
            (board,) = self.client.boards(side)
            name = f"cancelled-{objective}"
            stream = self.client.SolveStream(
                self.client.stream_request(board, objective), metadata=[("x-request-id", name)]
            )
            next(event for event in stream if objective != "FAST" or event.HasField("moves"))
            time.sleep(0.1)
            stream.cancel()
            line = self.server.wait_for_line(
                lambda line, name=name: line.get("request_id") == name, "the call"
            )
            self.assertEqual((line["code"], line["outcome"]), ("CANCELLED", "cancelled"))
            self.assertGreater(line["nodes"], 0)
            self.assertGreater(line["queued_us"], 0)

    def test_top_sees_the_calls_of_its_interval(self):
        board = self.client.board([1, 2, 3, 0])
        request = self.client.message("CheckSolvableRequest", board=board)
        over = threading.Event()

        def call():
            while not over.is_set():
                self.client.CheckSolvable(request)

        caller = threading.Thread(target=call)
        caller.start()
        try:
            seen = self.top("--json")
            text = self.top()
        finally:
            over.set()
            caller.join()
        self.assertEqual((seen.returncode, seen.stderr), (0, ""))
        view = json.loads(seen.stdout)
        checks = next(each for each in view["methods"] if each["method"] == "CheckSolvable")
        self.assertGreater(checks["per_second"], 1)
        self.assertEqual(list(checks["codes"]), ["OK"])
        self.assertGreater(checks["seconds"]["p99"], 0)
        self.assertEqual(view["panics"], 0)
        self.assertEqual((text.returncode, text.stderr), (0, ""))
        self.assertIn("CheckSolvable", text.stdout)

    def test_traces_need_a_binary_that_can_export_them(self):
        flags = ["--listen=127.0.0.1:0", "--metrics-listen=127.0.0.1:0"]
        for flag in [
            "--otlp-endpoint=not an address",
            "--otlp-endpoint=http://127.0.0.1:4317",
            "--otlp-ratio=0.5",
        ]:
            with self.subTest(flag):
                ran = subprocess.run(
                    [BINARY, "serve", *flags, flag],
                    capture_output=True,
                    text=True,
                    timeout=30,
                )
                self.assertEqual(ran.returncode, 2, ran.stderr)
                self.assertIn(flag.partition("=")[0], ran.stderr)
                self.assertIn("--features otlp", ran.stderr)


class Refused(Case):
    """Events that can happen thousands of times a second get one line a second."""

    def assert_one_line_a_second(self, server, message, count, refuse):
        """`count` is the field of these lines that says how many calls were refused."""
        refused, begun = 0, time.monotonic()
        while time.monotonic() < begun + 1.5:
            refuse()
            refused += 1

        def lines():
            return [line for line in server.lines if line.get("message") == message]

        # Refusals after the last line are reported with the next.
        def are_all_told():
            nonlocal refused
            if sum(line[count] for line in lines()) == refused:
                return True
            refuse()
            refused += 1
            return False

        wait_until(are_all_told, f"{refused} refused calls are not told", lines, pause=0.3)
        took = time.monotonic() - begun
        self.assertGreater(refused, len(lines()))
        self.assertLessEqual(len(lines()), 1 + took)
        # None of them has a line of its own.
        own = [line for line in server.lines if line.get("message") == "request"]
        self.assertLessEqual({line["code"] for line in own}, {"OK"})

    def test_calls_that_are_too_many(self):
        with Server("--workers=1", "--queue=1") as server, Client(server.address) as client:
            running, refused = client.boards(5, count=2)
            stream = client.SolveStream(client.stream_request(running, "OPTIMAL"))
            next(stream)
            request = client.solve_request(refused, "OPTIMAL")
            self.assert_one_line_a_second(
                server,
                "overloaded: calls refused",
                "refused",
                lambda: self.assert_refused(
                    Code.RESOURCE_EXHAUSTED, "OVERLOADED", client.Solve, request
                ),
            )

    def test_unauthenticated_calls(self):
        with tempfile.NamedTemporaryFile("w", suffix=".tokens") as tokens:
            tokens.write(f"lobby {64 * '0'}\n")
            tokens.flush()
            with (
                Server(f"--token-file={tokens.name}") as server,
                grpc.insecure_channel(server.address) as channel,
            ):
                solve = channel.unary_unary("/loyd.v1.PuzzleService/Solve")
                self.assert_one_line_a_second(
                    server,
                    "unauthenticated calls refused",
                    "calls",
                    lambda: self.assert_refused(
                        Code.UNAUTHENTICATED, "TOKEN_MISSING", solve, b""
                    ),
                )


class Unread(unittest.TestCase):
    """A log that nobody reads."""

    # The lines that wait, and as many being written; and more than a pipe holds.
    MOST_BYTES = 2 * (4 << 20)
    PIPE_BYTES = 1 << 20

    def test_lines_are_lost_and_counted_and_calls_are_answered(self):
        # The transport's own lines are numerous.
        flags = ["--listen=127.0.0.1:0", "--metrics-listen=127.0.0.1:0", "--build-memory=4M"]
        process = subprocess.Popen(
            [BINARY, "serve", *flags, "--log=trace", "--log-format=json"], stderr=subprocess.PIPE
        )
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        ready = next(
            line for line in map(json.loads, process.stderr) if line.get("message") == "ready"
        )

        def lost():
            with urllib.request.urlopen(ready["metrics"], timeout=10) as answer:
                text = answer.read().decode()
            return int(re.search(r"^loyd_log_lines_lost_total (\d+)$", text, re.MULTILINE)[1])

        self.assertEqual(lost(), 0)
        with Client(ready["grpc"]) as client:
            request = client.message("CheckSolvableRequest", board=client.board([1, 2, 3, 0]))

            def are_lost():
                for _ in range(100):
                    self.assertTrue(client.CheckSolvable(request, timeout=START_TIMEOUT).solvable)
                return lost() > 0

            wait_until(are_lost, "no line is lost", lost, timeout=60, pause=0)
            # Now the log is read, and what comes from now on is not lost.
            kept = []
            reader = threading.Thread(target=lambda: kept.extend(process.stderr))
            reader.start()

            def is_told():
                metadata = [("x-request-id", "at-last")]
                client.CheckSolvable(request, metadata=metadata, timeout=START_TIMEOUT)
                return any(b'"at-last"' in line for line in kept)

            wait_until(is_told, "the log does not go on", lambda: kept[-10:])
        process.kill()
        reader.join()
        waited = kept[: next(i for i, line in enumerate(kept) if b'"at-last"' in line)]
        # Lines that are not lost are whole.
        for line in waited:
            json.loads(line)
        self.assertGreater(sum(map(len, waited)), self.MOST_BYTES / 2)
        self.assertLess(sum(map(len, waited)), self.MOST_BYTES + self.PIPE_BYTES)
