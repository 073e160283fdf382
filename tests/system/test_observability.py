"""What operators see of a call: its line in the log, and `loyd top`."""

import json
import subprocess
import threading

import grpc
from case import Case
from server import BINARY

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
        ran = subprocess.run(
            [BINARY, "serve", *flags, "--otlp-endpoint=not an address"],
            capture_output=True,
            text=True,
            timeout=30,
        )
        self.assertEqual(ran.returncode, 2, ran.stderr)
        self.assertIn("--otlp-endpoint", ran.stderr)
