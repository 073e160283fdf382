"""`loyd solve`, `check`, `generate` and `health` as a shell runs them."""

import contextlib
import fcntl
import json
import os
import pty
import re
import signal
import socket
import struct
import subprocess
import tempfile
import termios
import time
import unittest
from unittest import mock

from case import Case
from server import BINARY, TABLES, Server
from waiting import least

HARD = "0 15 8 3 12 11 7 4 14 10 6 5 9 13 2 1"


def loyd(*arguments, text=""):
    return subprocess.run([BINARY, *arguments], input=text, capture_output=True, text=True, timeout=60)


class Here(unittest.TestCase):
    def test_what_is_generated_can_be_solved(self):
        for arguments in (["3"], ["4"], ["2x5"], ["6x4"], ["20"]):
            made = loyd("generate", *arguments, "--seed=1")
            self.assertEqual(made.returncode, 0, made.stderr)
            solved = loyd("solve", "--max-time=300ms", "--json", text=made.stdout)
            self.assertEqual(solved.returncode, 0, solved.stderr)
            answer = json.loads(solved.stdout)
            self.assertEqual(answer["length"], len(answer["moves"]))
            self.assertEqual(answer["board"], made.stdout.split(" #")[0])

    def test_a_board_comes_from_anywhere(self):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write("3\n1 2 3\n4 0 6\n7 5 8\n")
            file.flush()
            answers = [
                loyd("solve", "1 2 3 / 4 0 6 / 7 5 8"),
                loyd("solve", "1", "2", "3", "4", "0", "6", "7", "5", "8"),
                loyd("solve", text="1 2 3\n4 0 6\n7 5 8\n"),
                loyd("solve", "-", text="1,2,3,4,0,6,7,5,8"),
                loyd("solve", "--file", file.name),
            ]
        for answer in answers:
            self.assertEqual(answer.stdout.splitlines()[:2], ["UL", "2 moves, optimal"])

    def test_little_memory_is_enough_for_an_answer(self):
        for objective in ("best", "fast", "optimal"):
            solved = loyd("solve", "--max-memory=1M", "--max-time=300ms", "--objective", objective, "1 2 3 4 5 6 7 8 9 10 0 12 13 14 11 15")
            self.assertEqual(solved.returncode, 0, solved.stderr)
        made = loyd("generate", "64", "--seed=1")
        solved = loyd("solve", "--max-memory=1M", "--objective=fast", text=made.stdout)
        self.assertEqual(solved.returncode, 0, solved.stderr)

    def test_exit_codes(self):
        for code, arguments in (
            (0, ["solve", "1 2 0 3"]),
            (0, ["check", "1 2 0 3"]),
            (0, ["--version"]),
            (1, ["solve", "2 1 3 0"]),
            (1, ["check", "2 1 3 0"]),
            (2, ["solve", "2 1 3 3"]),
            (2, ["solve", "--objective=bounded", "1 2 0 3"]),
            (2, ["solve", "--objective=bounded", "--max-ratio=0.5", "1 2 0 3"]),
            (2, ["generate", "1"]),
            (2, ["generate", "3", "--min-moves=40", "--max-moves=50"]),
            (2, ["checkmate"]),
            (3, ["solve", "--objective=optimal", "--max-nodes=1000", HARD]),
            (3, ["solve", "--objective=optimal", "--max-time=50ms", HARD]),
            (4, ["check", "--server=127.0.0.1:1", "1 2 0 3"]),
            (4, ["health", "--server=127.0.0.1:1"]),
            (2, ["generate", "3", "--count=0"]),
            (2, ["solve", "--algorithm=weighted-a-star", "--weight=0", "1 2 0 3"]),
            (2, ["check", "--server=localhost:99999", "1 2 0 3"]),
            (2, ["serve", "--log=inof"]),
            (2, ["serve", "--max-calls=0"]),
            (2, ["serve", "--max-time=0s"]),
            (2, ["tables", "train", "--shape=5x5", "--generations=0", "--out=/no/such/folder/5x5.loyd"]),
            (0, ["tables", "path", "--table-dir=/tmp"]),
        ):
            ran = loyd(*arguments)
            self.assertEqual(ran.returncode, code, (arguments, ran.stderr))
            self.assertEqual(bool(ran.stderr), code > 0 and arguments[0] != "check" or code > 1)

    def test_ctrl_c_and_what_there_is_to_see_until_then(self):
        self.assertLess(least(self.interrupted, 0.5), 0.5)

    def interrupted(self):
        """The time that an interrupted command takes to end."""
        process = subprocess.Popen(
            [BINARY, "solve", "--objective=optimal", HARD],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        progress = process.stderr.readline()
        self.assertRegex(progress, r"^1\.\d s, best length \d+, lower bound \d+, nodes [\d,]+, [\d.]+ M/s")
        process.send_signal(signal.SIGINT)
        interrupted = time.monotonic()
        output, complaint = process.communicate(timeout=5)
        took = time.monotonic() - interrupted
        self.assertEqual((process.returncode, output), (130, ""))
        self.assertEqual(complaint.splitlines()[-1], "loyd: interrupted")
        return took

    def test_a_terminal_shows_the_progress_and_then_removes_it(self):
        here, there = pty.openpty()
        fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("4H", 40, 200, 0, 0))
        process = subprocess.Popen(
            [BINARY, "solve", "--objective=optimal", "--max-time=2s", HARD],
            stdout=subprocess.PIPE,
            stderr=there,
            env=os.environ | {"TERM": "xterm"},
        )
        os.close(there)
        process.communicate(timeout=30)
        shown = b""
        # At its end a terminal fails to be read.
        with contextlib.suppress(OSError):
            while part := os.read(here, 4096):
                shown += part
        os.close(here)
        self.assertRegex(shown.decode(), r"1\.\d s, best length \d+, lower bound \d+, nodes [\d,]+, [\d.]+ M/s")
        # What is shown last is the reason why there is no answer, on a line that was cleared.
        self.assertRegex(shown.decode(), r"\x1b\[2Kloyd: ")

    def test_ctrl_c_ends_an_answer_that_nobody_reads(self):
        made = loyd("generate", "128", "--seed=1").stdout
        for arguments in (["generate", "64", "--count=40"], ["check"], ["check", "--json"]):
            with self.subTest(arguments):
                process = subprocess.Popen(
                    [BINARY, *arguments],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
                process.stdin.write(made if arguments[0] == "check" else "")
                process.stdin.close()
                # The pipe is full of the rest.
                self.assertEqual(len(process.stdout.read(1)), 1)
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.wait(5), 130)
                process.stdout.close()
                process.stderr.close()

    def test_ctrl_c_before_the_one_look(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            url = f"http://127.0.0.1:{silent.getsockname()[1]}/metrics"
            for flags, code in ((["--once"], 130), ([], 0)):
                process = subprocess.Popen([BINARY, "top", "--metrics", url, *flags], stderr=subprocess.PIPE, text=True)
                with silent.accept()[0] as asked:
                    asked.recv(1)
                    process.send_signal(signal.SIGINT)
                    complaint = process.communicate(timeout=5)[1]
                self.assertEqual((process.returncode, complaint), (code, "loyd: interrupted\n" if code else ""))

    def test_an_unsolvable_board_is_so_whether_anybody_reads_it(self):
        made = loyd("generate", "100", "--unsolvable", "--seed=1").stdout
        process = subprocess.Popen([BINARY, "check"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        process.stdout.close()
        process.stdin.write(made)
        process.stdin.close()
        self.assertEqual(process.wait(5), 1)

    def test_a_reader_that_has_seen_enough(self):
        made = loyd("generate", "20", "--seed=1").stdout
        process = subprocess.Popen(
            [BINARY, "solve", "--objective=fast", "--trace"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        process.stdin.write(made)
        process.stdin.close()
        process.stdout.readline()
        process.stdout.close()
        complaint = process.stderr.read()
        process.stderr.close()
        self.assertEqual((process.wait(5), complaint), (0, ""))


class Variables(unittest.TestCase):
    def test_one_that_is_empty_says_nothing(self):
        told = loyd("serve", "--help").stdout
        names = set(re.findall(r"\[env: (LOYD_\w+)=", told))
        self.assertGreater(len(names), 30)
        with (
            mock.patch.dict(os.environ, dict.fromkeys(names | {"LOYD_TOKEN"}, "")),
            Server(f"--table-dir={TABLES.name}") as server,
        ):
            checked = loyd("check", f"--server={server.address}", "1 2 0 3")
            self.assertEqual(checked.returncode, 0, checked.stderr)
            self.assertEqual(loyd("solve", "1 2 0 3").returncode, 0)


class There(Case):
    def test_the_answers_are_the_same(self):
        for arguments in (
            ["solve", "--trace", "8 6 7 2 5 4 3 0 1"],
            ["solve", "--goal=snail", "1 2 3 / 8 4 0 / 7 6 5"],
            ["check", "2 1 3 4 5 6 7 8 0"],
            ["check", "--json", "2 1 3 4 5 6 7 8 0"],
            ["generate", "5", "--count=3", "--seed=4"],
            ["generate", "3", "--min-moves=25", "--max-moves=25", "--seed=4", "--json"],
            ["solve", "2 1 3 0"],
            ["generate", "3", "--min-moves=40", "--max-moves=50"],
        ):
            here = loyd(*arguments)
            there = loyd(*arguments, "--server", self.server.address)
            self.assertEqual(here.returncode, there.returncode)
            self.assertEqual(here.stderr, there.stderr)
            # The third line of a solution contains the time.
            lines = [ran.stdout.splitlines() for ran in (here, there)]
            if arguments[0] == "solve":
                lines = [each[:2] + each[3:] for each in lines]
            self.assertEqual(lines[0], lines[1])

    def test_what_speaks_something_else_is_no_defect_of_loyd(self):
        ran = loyd("check", f"--server=127.0.0.1:{self.server.metrics_port}", "1 2 0 3")
        self.assertEqual(ran.returncode, 4, ran.stderr)
        self.assertIn("Is `loyd serve` running there?", ran.stderr)

    def test_health_is_no_call(self):
        def calls():
            started = "loyd_requests_started_total"
            metrics = self.server.metrics()
            return {name: value for name, value in metrics.items() if name.startswith(started)}

        before = calls()
        answer = loyd("health", "--timeout=10s", "--service=loyd.v1.PuzzleService", "--server", self.server.address)
        self.assertEqual((answer.returncode, answer.stdout, answer.stderr), (0, "SERVING\n", ""))
        after = calls()
        changed = {name for name in after if after[name] != before.get(name)}
        self.assertEqual(changed, {'loyd_requests_started_total{method="health"}'})

    def test_a_benchmark_of_the_server(self):
        korf = json.loads(self.bench("--suite=korf"))
        self.assertEqual((korf["answered"], korf["mean_length"], korf["late"]), (100, 53.05, 0))
        small = ["--suite=uniform", "--rows=3", "--columns=3", "--count=200"]
        few = json.loads(self.bench(*small, "--timeout=1s", "--in-flight=4"))
        self.assertEqual((few["calls"], few["answered"], few["failed"]), (200, 200, {}))
        self.assertGreater(few["calls_per_second"], 0)

    def bench(self, *arguments):
        answer = loyd("bench", *arguments, "--json", f"--server={self.server.address}")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        return answer.stdout

    def test_the_deadline(self):
        ran = loyd(
            "solve", "--objective=optimal", HARD, "--server", self.server.address, "--timeout=200ms"
        )
        self.assertEqual(ran.returncode, 3, ran.stderr)
        # Again if the machine stalls just then.
        for _ in range(3):
            ran = loyd("solve", HARD, "--server", self.server.address, "--timeout=200ms")
            if ran.returncode != 3:
                break
        self.assertEqual(ran.returncode, 0, ran.stderr)
