"""What the test cases share: a server for each class, and assertions about it."""

import os
import time
import unittest

import grpc
from client import Client, Refusal, replay, solved
from server import Server
from waiting import wait_until

FULL = os.environ.get("LOYD_SYSTEM_FULL") == "1"


class Case(unittest.TestCase):
    """Tests against one server, which must not log an error that is the client's fault."""

    flags = ()

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.flags)
        cls.addClassCleanup(cls.server.stop)
        cls.client = Client(cls.server.address)
        cls.addClassCleanup(cls.client.close)

    def tearDown(self):
        if self.server.process.poll() is not None:
            self.fail(f"the server has ended, with these last words: {self.words()}")
        self.assertEqual(self.server.errors(), [], "nothing is logged as an error")

    def handled(self, method, code):
        """How many calls have ended this way, according to the server."""
        name = f'loyd_requests_handled_total{{method="{method}",code="{code}"}}'
        return self.server.metrics().get(name, 0)

    def searches(self):
        """How many searches run or wait."""
        metrics = self.server.metrics()
        # Neither exists before the first search.
        return metrics.get("loyd_searches_running", 0) + metrics.get("loyd_queue_depth", 0)

    def wait_until(self, is_so, what):
        wait_until(is_so, what, self.words, pause=0.01)

    def words(self):
        """The server's last log lines."""
        return self.server.lines[-10:]

    def refusal(self, call, *arguments, **options):
        """The refusal of a call that must fail; streams are read to their end."""
        with self.assertRaises(grpc.RpcError) as caught:
            answer = call(*arguments, **options)
            if not hasattr(answer, "DESCRIPTOR"):
                for _ in answer:
                    pass
        return Refusal(caught.exception)

    def assert_refused(self, code, reason, call, *arguments, **options):
        refusal = self.refusal(call, *arguments, **options)
        self.assertEqual(refusal.code, code, refusal.message)
        self.assertIsNotNone(refusal.info, f"an ErrorInfo with {refusal.message!r}")
        self.assertEqual((refusal.info.domain, refusal.info.reason), ("loyd", reason))
        return refusal

    def assert_holds_nothing(self):
        """Waits until no search and no answer holds memory, once the last of them has left."""
        small = self.client.solve_request([1, 2, 0, 3])
        deadline = time.monotonic() + 10
        while True:
            # The gauge has the value of the last change.
            self.client.Solve(small)
            time.sleep(0.02)
            held = self.server.metrics()["loyd_memory_bytes"]
            if held == 0 or time.monotonic() > deadline:
                break
        self.assertEqual(held, 0)

    def searched(self, board=(1, 2, 3, 4, 5, 6, 0, 7, 8)):
        """A 3×3 that a worker searches. By its table it would be answered on the caller's thread, even when
        the pool is full."""
        algorithm = self.client.value("Algorithm", "ALGORITHM_IDA_STAR")
        return self.client.solve_request(
            board, "OPTIMAL", method=self.client.message("Method", algorithm=algorithm)
        )

    def assert_deadline_kept(self, method, request, timeout):
        """The server itself says that the deadline is over. The client's own clock says the same, and on
        a busy machine may be first, so the call is made until the server was."""
        before = self.handled(method, "DEADLINE_EXCEEDED")

        def is_said_by_the_server():
            refusal = self.refusal(getattr(self.client, method), request, timeout=timeout)
            self.assertEqual(refusal.code, grpc.StatusCode.DEADLINE_EXCEEDED)
            return self.handled(method, "DEADLINE_EXCEEDED") > before

        self.wait_until(is_said_by_the_server, "the server does not keep the deadline")

    def assert_solved(self, board, moves, goal=None):
        self.assertEqual(replay(board, moves), goal or solved(len(board.tiles)))
