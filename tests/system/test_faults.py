"""Failures around the server, and resources taken from it: it keeps working, and a metric counts them.

Tested elsewhere: panics of searches, of handlers and of builds (tests/engine, tests/service/observe.rs),
damaged tables and folders that cannot be written (test_tables.py), readers that do not read
(tests/service/status.rs), connections closed in the middle of a call (test_garbage.py). The clock can jump
freely: clippy.toml bans the one that does.
"""

import functools
import re
import socket
import subprocess
import tempfile
import unittest

import grpc
import waiting
from case import Case
from client import Client
from server import BINARY, Server

Code = grpc.StatusCode

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS = b"\0\0\0\4\0\0\0\0\0"

# Longer than anything takes, even on a slow machine.
PATIENCE = 30.0

wait_until = functools.partial(waiting.wait_until, timeout=PATIENCE)


class FullDisk(unittest.TestCase):
    def test_tables_that_cannot_be_saved_are_used_all_the_same(self):
        # A limit on the size of files simulates a full disk.
        limited = ("bash", "-c", 'ulimit -f 100; exec "$@"', "bash")
        with (
            tempfile.TemporaryDirectory(prefix="loyd-full-") as folder,
            Server(f"--table-dir={folder}", prefix=limited) as server,
            Client(server.address) as client,
        ):
            wait_until(
                lambda: server.metrics()['loyd_table_files_total{outcome="not_saved"}'] > 0,
                "it is counted",
            )
            for board in client.boards(4, count=20, seed=3):
                answer = client.Solve(client.solve_request(board, "OPTIMAL"), timeout=PATIENCE)
                self.assertTrue(answer.solution.optimal)
            self.assertEqual(server.errors(), [])


class NoMemory(Case):
    flags = ("--memory=8M",)

    def test_what_does_not_fit_is_refused_and_the_rest_is_served(self):
        large = self.client.boards(128)[0]
        # Nobody else holds any memory, so retrying would be useless. Either the answer alone is too
        # large, or the answer and the search together are.
        for call, request in (
            (self.client.Solve, self.client.solve_request(large)),
            (self.client.SolveStream, self.client.stream_request(large)),
        ):
            refusal = self.assert_refused(Code.RESOURCE_EXHAUSTED, "MEMORY_LIMIT", call, request)
            self.assertIsNone(refusal.retry)
            self.assertEqual(refusal.trailers["grpc-retry-pushback-ms"], "-1")
            self.assertIn("--memory", refusal.message)
        metrics = self.server.metrics()
        self.assertEqual(metrics.get('loyd_overloaded_total{lack="memory"}', 0), 0)
        self.assertEqual(metrics['loyd_limit_stops_total{limit="memory"}'], 2)
        # A* on 24 tiles fills all the memory; BEST still has an answer.
        boards = self.client.boards(5, count=8, seed=2)
        method = {"algorithm": self.client.value("Algorithm", "ALGORITHM_A_STAR")}
        calls = [
            self.client.Solve.future(self.client.solve_request(board, method=method), timeout=5)
            for board in boards
        ]
        for board, call in zip(boards, calls):
            self.assert_solved(board, call.result(PATIENCE).solution.moves)
        self.assert_holds_nothing()


class NoThreads(unittest.TestCase):
    # Limits hold for a user, and root has none: nobody else's processes are this one's.
    USER = "64970"
    AS_USER = ("setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups")

    def test_large_answers_need_no_more_threads_than_there_are(self):
        with (
            tempfile.TemporaryDirectory(prefix="loyd-threads-") as folder,
            Server(f"--table-dir={folder}", prefix=self.AS_USER) as server,
            Client(server.address) as client,
        ):
            wait_until(lambda: server.metrics()["loyd_tables_building"] == 0, "no more are started")
            pid = f"--pid={server.process.pid}"
            subprocess.run([*self.AS_USER, "prlimit", pid, "--nproc=1"], check=True)
            request = client.solve_request(client.boards(60, seed=3)[0], "FAST")
            # More than are made at once.
            for call in [client.Solve.future(request, timeout=PATIENCE) for _ in range(4)]:
                self.assertGreater(call.result().solution.length, 100_000)
            self.assertEqual(server.errors(), [])

    def test_what_cannot_have_all_its_threads_says_so_and_ends(self):
        for most in range(1, 6):
            with self.subTest(most=most):
                self.needed(most)

    def test_threads_that_watch_files_are_counted(self):
        # They are not looked at before.
        tokens, tls = ["--token-file=none"], ["--tls-cert=none", "--tls-key=none"]
        others = self.needed(1)
        self.assertEqual(self.needed(1, *tokens), others + 1)
        self.assertEqual(self.needed(1, *tls), others + 1)
        self.assertEqual(self.needed(1, *tls, *tokens), others + 2)

    def needed(self, most, *flags):
        """How many threads it says that it cannot start where so many are allowed."""
        starts = [*self.AS_USER, "prlimit", f"--nproc={most}", BINARY, "serve", *flags]
        ends = subprocess.run(
            [*starts, "--listen=127.0.0.1:0", "--metrics-listen=127.0.0.1:0"],
            stderr=subprocess.PIPE,
            text=True,
            timeout=PATIENCE,
        )
        self.assertEqual(ends.returncode, 2, ends.stderr)
        said = re.match(r"loyd: cannot start (\d+) threads: ", ends.stderr)
        self.assertIsNotNone(said, ends.stderr)
        return int(said[1])


class Peers(Case):
    flags = ("--keepalive=500ms", "--keepalive-timeout=500ms")

    def test_a_peer_that_gives_no_sign_of_life_is_closed(self):
        """As when its machine was switched off, or a firewall forgot the connection."""
        host, port = self.server.address.rsplit(":", 1)
        before = self.server.metrics()["loyd_connections"]
        with socket.create_connection((host, int(port))) as peer:
            peer.sendall(PREFACE + SETTINGS)
            wait_until(
                lambda: self.server.metrics()["loyd_connections"] > before, "it is counted"
            )
            wait_until(
                lambda: self.server.metrics()["loyd_connections"] == before, "it is closed"
            )
            peer.settimeout(PATIENCE)
            while peer.recv(4096):
                pass

    def test_a_client_that_is_killed_leaves_no_search_behind(self):
        board = " ".join(map(str, self.client.boards(5, seed=4)[0].tiles))
        abandoned = self.server.metrics()["loyd_searches_abandoned_total"]
        asks = subprocess.Popen(
            [BINARY, "solve", "--objective=optimal", *board.split(), "--server", self.server.address],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            wait_until(lambda: self.server.metrics()["loyd_searches_running"] > 0, "it has begun")
        finally:
            asks.kill()
            asks.wait()
        wait_until(
            lambda: self.server.metrics()["loyd_searches_abandoned_total"] > abandoned, "it is abandoned"
        )
        wait_until(lambda: self.server.metrics()["loyd_searches_running"] == 0, "it has ended")
