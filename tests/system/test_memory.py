"""Small containers, and everything that could need more at once."""

import contextlib
import os
import pathlib
import random
import re
import subprocess
import tempfile
import time
import unittest

import grpc
from case import FULL
from client import Client
from server import BINARY, Server

Code = grpc.StatusCode

LIMIT = 256 << 20
SECONDS = 120 if FULL else 15
AT_ONCE = 48

# What a hostile client may be answered; anything else is a defect.
EXPECTED = {Code.OK, Code.RESOURCE_EXHAUSTED, Code.DEADLINE_EXCEEDED}


class Group:
    """A control group with this limit where one can be made (root, version 1 or 2). Elsewhere there is
    none, and the process's own peak is checked instead."""

    def __init__(self, limit):
        self.folder = None
        name = f"loyd-test-{os.getpid()}"
        for parent, file in (
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
            ("/sys/fs/cgroup", "memory.max"),
        ):
            folder = pathlib.Path(parent, name)
            try:
                folder.mkdir()
            except OSError:
                continue
            try:
                (folder / file).write_text(str(limit))
                self.folder = folder
                return
            except OSError:
                folder.rmdir()

    def prefix(self):
        """The command prefix that starts a process in the group."""
        if self.folder is None:
            return ()
        return ("sh", "-c", f'echo $$ > {self.folder}/cgroup.procs; exec "$@"', "sh")

    def kills(self):
        if self.folder is None:
            return 0
        for name in ("memory.oom_control", "memory.events"):
            with contextlib.suppress(OSError):
                text = (self.folder / name).read_text()
                return int(re.search(r"oom_kill (\d+)", text)[1])
        return 0

    def remove(self):
        if self.folder is None:
            return
        for _ in range(50):
            with contextlib.suppress(OSError):
                self.folder.rmdir()
                return
            time.sleep(0.1)


class TooSmall(unittest.TestCase):
    def test_a_container_that_is_too_small_is_named_not_a_flag_that_nobody_set(self):
        group = Group(16 << 20)
        self.addCleanup(group.remove)
        flags, named = [], "the container's memory limit"
        if not group.folder:
            flags, named = ["--memory-limit=16M"], "--memory-limit"
        serve = [*group.prefix(), BINARY, "serve", "--listen=127.0.0.1:0", *flags]
        ended = subprocess.run(serve, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertIn(f"{named} 16M is too little to serve with: use 32M or more", ended.stderr)
        self.assertEqual(ended.returncode, 2)


class Small(unittest.TestCase):
    def setUp(self):
        self.group = Group(LIMIT)
        self.addCleanup(self.group.remove)
        # Without a group the limit has to be passed as a flag.
        flags = () if self.group.folder else (f"--memory-limit={LIMIT}",)
        self.server = Server("--build-memory=12M", *flags, prefix=self.group.prefix())
        self.addCleanup(self.server.stop)
        self.client = Client(self.server.address)
        self.addCleanup(self.client.close)

    def hostile(self, dice):
        """A random call, and how to start it."""
        client = self.client
        rows, columns = dice.choice(
            [(2, 6), (3, 4), (2, 20), (3, 6), (4, 4), (4, 7), (5, 5), (5, 8), (6, 6), (7, 7), (8, 8)]
        )
        seed = dice.randrange(1 << 30)
        kind = dice.randrange(9)
        if kind == 0:
            request = client.message(
                "GenerateRequest",
                rows=4,
                count=100,
                seed=seed,
                difficulty={"min_moves": 40, "max_moves": 42},
            )
            return client.Generate.future, request, 2
        if kind == 1:
            board = self.large[seed % len(self.large)]
            request = client.stream_request(board, "FAST", moves_per_message=65_536)
            return client.SolveStream, request, 2
        board = client.boards(rows, columns, seed=seed)[0]
        fields = {}
        objective = dice.choice(["BEST", "OPTIMAL"])
        if kind == 2:
            goal = client.boards(rows, columns, seed=seed + 1)[0]
            fields["goal"] = {"board": goal}
            objective = "BEST"
        elif kind == 3:
            fields["metric"] = client.value("Metric", "METRIC_MULTI_TILE")
        elif kind == 4:
            fields["include"] = {"boards": True, "tiles": True}
            board = self.large[seed % len(self.large)] if seed % 4 == 0 else board
            objective = "BEST"
        elif kind == 5:
            fields["method"] = {"algorithm": client.value("Algorithm", "ALGORITHM_A_STAR")}
        elif kind == 6 and rows * columns <= 25 and columns <= 6:
            fields["method"] = {
                "algorithm": client.value("Algorithm", "ALGORITHM_IDA_STAR"),
                "heuristic": client.value("Heuristic", "HEURISTIC_WALKING_DISTANCE"),
            }
        return client.Solve.future, client.solve_request(board, objective, **fields), 2

    def test_the_process_stays_within_its_container(self):
        self.large = [board for s in (1, 2) for board in self.client.boards(128, seed=s)]
        dice = random.Random(13)
        codes = {}
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            calls = []
            for _ in range(AT_ONCE):
                try:
                    begin, request, timeout = self.hostile(dice)
                except grpc.RpcError as error:
                    self.assertIn(error.code(), EXPECTED, error.details())
                    continue
                calls.append(begin(request, timeout=timeout))
            for number, call in enumerate(calls):
                # Every fifth one is cancelled.
                if number % 5 == 0:
                    call.cancel()
                    continue
                with contextlib.suppress(grpc.RpcError):
                    for _ in call if not hasattr(call, "result") else ():
                        pass
                code = call.code()
                codes[code] = codes.get(code, 0) + 1
                self.assertIn(code, EXPECTED, call.details())
            self.assertIsNone(self.server.process.poll(), self.server.lines[-5:])
        peak = self.server.peak_bytes()
        metrics = self.server.metrics()
        print(
            f"peak {peak >> 20} MB in a {'group' if self.group.folder else 'process'}, "
            f"{ {code.name: count for code, count in codes.items()} }, "
            f"{metrics['loyd_heuristic_tables_refused']:.0f} tables refused ",
            end="",
            flush=True,
        )
        self.assertLess(peak, LIMIT)
        self.assertEqual(self.group.kills(), 0)
        self.assertGreater(codes[Code.OK], 0)
        self.assertEqual(metrics['loyd_panics_total{place="search"}'], 0)
        small = self.client.solve_request([8, 6, 7, 2, 5, 4, 3, 0, 1], "OPTIMAL")
        self.assertEqual(self.client.Solve(small, timeout=5).solution.length, 31)


class Least(unittest.TestCase):
    """With nothing set: a board of each size that has pattern databases, and hard proofs beside it."""

    def survive(self, limit):
        group = Group(limit)
        self.addCleanup(group.remove)
        flags = () if group.folder else (f"--memory-limit={limit}",)
        with (
            tempfile.TemporaryDirectory() as folder,
            Server(
                f"--table-dir={folder}", *flags, prefix=group.prefix(), build_memory=None
            ) as server,
            Client(server.address) as client,
        ):
            tables = max(self.ask_for_all(server, client))
            print(f"peak {server.peak_bytes() >> 20} MB of {limit >> 20} ", end="", flush=True)
            self.assertEqual(group.kills(), 0)
            # Those built at startup do not count.
            most = server.metrics()['loyd_limit{what="table_memory"}'] + (1 << 17)
            self.assertLessEqual(tables, most)

    def ask_for_all(self, server, client):
        """The bytes of all tables after each size."""
        hard = client.message(
            "Method",
            algorithm=client.value("Algorithm", "ALGORITHM_A_STAR"),
            heuristic=client.value("Heuristic", "HEURISTIC_HAMMING"),
        )
        for rows, columns in [(5, 5), (3, 5), (4, 5), (3, 6), (2, 7), (2, 8)]:
            board, *goals = client.boards(rows, columns, count=3, seed=5)
            calls = [client.Solve.future(client.solve_request(board, "OPTIMAL"), timeout=0.1)]
            for goal in goals:
                request = client.solve_request(board, "BEST", goal={"board": goal})
                calls.append(client.Solve.future(request, timeout=0.1))
            for fifteen in client.boards(4, 4, count=3, seed=rows * columns):
                request = client.solve_request(fifteen, "OPTIMAL", method=hard)
                calls.append(client.Solve.future(request, timeout=1))
            for call in calls:
                self.assertIn(call.code(), EXPECTED, call.details())
            while (metrics := server.metrics())["loyd_tables_building"]:
                time.sleep(0.05)
            yield metrics["loyd_tables_bytes"] + metrics["loyd_pattern_databases_bytes"]

    def test_the_least_that_is_documented_is_enough(self):
        self.survive(32 << 20)

    def test_what_has_room_for_larger_tables_builds_them_within_it(self):
        self.survive(64 << 20)


class Settings(unittest.TestCase):
    def test_statistics_name_what_guided_where_there_is_no_room_for_tables(self):
        with Server("--heuristic-memory=1M") as server, Client(server.address) as client:
            method = client.message(
                "Method",
                algorithm=client.value("Algorithm", "ALGORITHM_IDA_STAR"),
                heuristic=client.value("Heuristic", "HEURISTIC_WALKING_DISTANCE"),
            )
            for board, guided in (
                ([1, 2, 3, 4, 0, 6, 7, 5, 8], "HEURISTIC_WALKING_DISTANCE"),
                ([*range(1, 20), 0, *range(20, 25)], "HEURISTIC_LINEAR_CONFLICT"),
            ):
                request = client.solve_request(board, "OPTIMAL", method=method)
                answer = client.Solve(request, timeout=30)
                self.assertEqual(
                    answer.statistics.heuristic, client.value("Heuristic", guided)
                )

    def test_more_than_there_is_is_refused_at_the_start(self):
        with self.assertRaisesRegex(AssertionError, "raise --memory-limit"):
            Server("--memory-limit=256M", "--memory=300M")
