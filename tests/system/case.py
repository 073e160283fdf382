"""What the test cases share: a server for each class, and ways to expect things of it."""

import os
import time
import unittest

import grpc
from client import Client, Refusal, replay, solved
from server import Server

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
            self.fail(f"the server has ended, with these last words: {self.server.lines[-10:]}")
        self.assertEqual(self.server.errors(), [], "nothing is logged as an error")

    def refusal(self, call, *arguments, **options):
        """The refusal of a call that must fail, streams read to their end."""
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
        """No search and no answer holds memory, once the last of them is on its way."""
        small = self.client.solve_request([1, 2, 0, 3])
        deadline = time.monotonic() + 10
        while True:
            # The gauge says what was held at the last change.
            self.client.Solve(small)
            time.sleep(0.02)
            held = self.server.metrics()["loyd_memory_bytes"]
            if held == 0 or time.monotonic() > deadline:
                break
        self.assertEqual(held, 0)

    def assert_solved(self, board, moves, goal=None):
        self.assertEqual(replay(board, moves), goal or solved(len(board.tiles)))
