"""Pattern databases on disk: saved, shared, refused when damaged, and done without if need be."""

import pathlib
import subprocess
import tempfile
import time
import unittest

import grpc
from client import Client
from server import BINARY, Server

# Number 79 of Korf's 15-puzzles, the easiest: 42 moves.
BOARD = [1, 6, 10, 8, 14, 12, 4, 2, 13, 11, 3, 5, 9, 7, 15, 0]

SMALL = ("--table-memory=4M", "--build-memory=4M")


def outcomes(server):
    """What became of files: loaded, saved, refused, not_saved, read_only."""
    prefix = 'loyd_table_files_total{outcome="'
    metrics = server.metrics().items()
    return {name[len(prefix) : -2]: count for name, count in metrics if name.startswith(prefix)}


class Tables(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name, "tables")

    def serve(self, *flags, folder=None):
        server = Server(*SMALL, f"--table-dir={folder or self.folder}", *flags)
        self.addCleanup(server.stop)
        return server

    def assert_solves(self, server):
        with Client(server.address) as client:
            response = client.Solve(client.solve_request(client.board(BOARD), "OPTIMAL"))
            self.assertEqual(response.solution.length, 42)
            heuristic = client.value("Heuristic", "HEURISTIC_PATTERN_DATABASE")
            self.assertEqual(response.statistics.heuristic, heuristic)

    def test_they_are_built_once(self):
        first = self.serve()
        self.assert_solves(first)
        self.assertEqual(outcomes(first)["saved"], 3)
        self.assertEqual(first.metrics()['loyd_pattern_databases{home="4×4, blank at 15",patterns="6-6-3"}'], 1)
        files = sorted(self.folder.iterdir())
        self.assertEqual([file.suffix for file in files], [".pdb"] * 3)
        # Another server at the same time shares them.
        second = self.serve()
        self.assert_solves(second)
        self.assertEqual(outcomes(second), {"loaded": 3, "saved": 0, "refused": 0, "not_saved": 0, "read_only": 0})
        self.assertEqual(sorted(self.folder.iterdir()), files)

    def test_two_can_build_them_at_once(self):
        servers = [
            subprocess.Popen(
                [BINARY, "tables", f"--table-dir={self.folder}", "build", "--tier=6-6-3"],
                stdout=subprocess.PIPE,
                text=True,
            )
            for _ in range(2)
        ]
        for server in servers:
            output, _ = server.communicate(timeout=30)
            self.assertEqual((server.returncode, len(output.splitlines())), (0, 3))
        self.assert_solves(self.serve())
        self.assertEqual(len(list(self.folder.iterdir())), 3)

    def test_a_damaged_file_is_refused_by_name_and_built_anew(self):
        subprocess.run(
            [BINARY, "tables", f"--table-dir={self.folder}", "build", "--tier=6-6-3"],
            check=True,
            capture_output=True,
            timeout=30,
        )
        whole = {file: file.read_bytes() for file in self.folder.iterdir()}
        flipped, cut, foreign = sorted(whole)
        for file, change in (
            (flipped, lambda old: old[:-1] + bytes([old[-1] ^ 1])),
            (cut, lambda old: old[: len(old) // 2]),
            (foreign, lambda _: b"something else"),
        ):
            file.unlink()
            file.write_bytes(change(whole[file]))
        # Half-written, by a process that was killed.
        pathlib.Path(self.folder, ".loyd-part-x").write_bytes(b"loyd-pdb")
        server = self.serve()
        self.assert_solves(server)
        self.assertEqual(outcomes(server), {"loaded": 0, "saved": 3, "refused": 3, "not_saved": 0, "read_only": 0})
        told = [line["what"] for line in server.lines if line.get("outcome") == "refused"]
        for file in whole:
            self.assertTrue(any(str(file) in line for line in told), told)
            self.assertEqual(file.read_bytes(), whole[file])

    def test_a_folder_that_cannot_be_written_is_done_without(self):
        # No space, no permission, no folder: nobody can create a file there.
        server = self.serve(folder="/proc/self/fdinfo")
        self.assert_solves(server)
        self.assertEqual(outcomes(server)["not_saved"], 3)
        self.assertEqual(server.errors(), [])

    def test_a_folder_that_is_read_only_on_purpose_is_no_failure(self):
        self.folder.mkdir()
        read_only = f"mount --bind {self.folder} {self.folder} && mount -o remount,bind,ro {self.folder}"
        mounted = ("unshare", "--mount", "bash", "-c", f'{read_only} && exec "$@"', "bash")
        server = Server(*SMALL, f"--table-dir={self.folder}", prefix=mounted)
        self.addCleanup(server.stop)
        self.assert_solves(server)
        self.assertEqual(outcomes(server), {"loaded": 0, "saved": 0, "refused": 0, "not_saved": 0, "read_only": 3})
        self.assertEqual([line for line in server.lines if line.get("message") == "table file"], [])

    def test_a_full_disk_leaves_nothing_behind(self):
        # A limit on the size of files simulates a full disk.
        self.folder.mkdir()
        ran = subprocess.run(
            [
                "bash",
                "-c",
                'trap "" XFSZ; ulimit -f 100; exec "$@"',
                "bash",
                BINARY,
                "tables",
                f"--table-dir={self.folder}",
                "build",
                "--tier=6-6-3",
            ],
            capture_output=True,
            text=True,
            timeout=30,
        )
        self.assertEqual(ran.returncode, 5, ran.stderr)
        self.assertEqual(ran.stdout.count("not saved: "), 2, ran.stdout)
        # The smallest table had room.
        self.assertEqual(len(list(self.folder.iterdir())), 1)
        self.assert_solves(self.serve())

    def test_health_is_not_serving_until_they_are_there(self):
        server = Server(
            "--table-memory=25M", "--build-memory=32M", f"--table-dir={self.folder}"
        )
        self.addCleanup(server.stop)
        not_serving, serving = b"\x08\x02", b"\x08\x01"
        seen = []
        with grpc.insecure_channel(server.address) as channel:
            watch = channel.unary_stream("/grpc.health.v1.Health/Watch")
            for status in watch(b"\x0a\x0bloyd.tables", timeout=60):
                seen.append(status)
                if status == serving:
                    break
        self.assertEqual(seen, [not_serving, serving])
        self.assertEqual(server.metrics()["loyd_tables_building"], 0)

    def test_better_ones_come_without_a_pause(self):
        server = Server(
            "--table-memory=25M", "--build-memory=32M", f"--table-dir={self.folder}"
        )
        self.addCleanup(server.stop)
        better = 'loyd_pattern_databases{home="4×4, blank at 15",patterns="7-6-2"}'
        deadline = time.monotonic() + 60
        built = []
        while (metrics := server.metrics()).get(better) != 1:
            built.append(metrics.get("loyd_tables_build_ratio", 0))
            self.assert_solves(server)
            self.assertLess(time.monotonic(), deadline)
        self.assert_solves(server)
        # How much of the table was there each time.
        self.assertTrue(any(0 < ratio <= 1 for ratio in built), built)


if __name__ == "__main__":
    unittest.main()
