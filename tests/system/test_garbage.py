"""What no honest client sends: each gets a clear status, and the server keeps working."""

import math
import random
import socket
import time

import grpc
from case import FULL, Case
from client import Client, Refusal

Code = grpc.StatusCode

ROUNDS = 20_000 if FULL else 2_000

METHODS = ("Solve", "CheckSolvable", "Generate")

# What the garbage may leave behind: allocator arenas and a few hundred connections' buffers.
GROWTH = 48 << 20


class Garbage(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # Allocate what is allocated once before memory is measured.
        for size in (3, 5, 100):
            board = cls.client.boards(size)[0]
            cls.client.Solve(cls.client.solve_request(board, "FAST"))
        while cls.server.metrics()["loyd_tables_building"]:
            time.sleep(0.05)
        cls.before = cls.server.resident_bytes()

    def tearDown(self):
        super().tearDown()
        growth = self.server.resident_bytes() - self.before
        print(f"memory {growth / (1 << 20):+.1f} MiB ", end="", flush=True)
        self.assertLess(growth, GROWTH, "memory is flat")

    def send(self, method, data, allowed, timeout=10):
        try:
            self.client.raw(method)(data, timeout=timeout)
            code = Code.OK
        except grpc.RpcError as error:
            refusal = Refusal(error)
            code = refusal.code
            self.assertTrue(refusal.message, f"{code} without a word")
        self.assertIn(code, allowed, data[:50])
        return code

    def test_random_bytes(self):
        dice = random.Random(1)
        for i in range(ROUNDS):
            data = dice.randbytes(dice.randrange(1, 200))
            self.send(METHODS[i % 3], data, {Code.INVALID_ARGUMENT})

    def test_truncated_and_damaged_messages(self):
        dice = random.Random(2)
        board = self.client.boards(3)[0]
        request = self.client.solve_request(
            board, "FAST", limits=self.client.message("Limits", max_nodes=1000)
        ).SerializeToString()
        allowed = {Code.OK, Code.INVALID_ARGUMENT, Code.FAILED_PRECONDITION}
        for length in range(len(request)):
            self.send("Solve", request[:length], allowed)
        for _ in range(ROUNDS):
            damaged = bytearray(request)
            for _ in range(dice.randrange(1, 4)):
                damaged[dice.randrange(len(damaged))] = dice.randrange(256)
            self.send("Solve", bytes(damaged), allowed)

    def test_messages_of_5_mib(self):
        for method in METHODS:
            for data in (bytes(5 << 20), random.Random(3).randbytes(5 << 20)):
                self.send(method, data, {Code.RESOURCE_EXHAUSTED, Code.INVALID_ARGUMENT})
                refusal = self.refusal(self.client.raw(method), data)
                self.assertIn("REQUEST_TOO_LARGE", refusal.reason or "")

    def test_messages_that_grow_when_they_are_unpacked(self):
        with Client(self.server.address) as client:
            call = client.channel.unary_unary("/loyd.v1.PuzzleService/CheckSolvable")
            for size in (5 << 20, 64 << 20):
                refusal = self.refusal(call, bytes(size), compression=grpc.Compression.Gzip)
                self.assertEqual(refusal.code, Code.RESOURCE_EXHAUSTED)

    def test_a_million_tiles(self):
        for tiles in ([0] * 1_000_000, range(1_000_000)):
            for rows in (0, 1000):
                request = self.client.message(
                    "CheckSolvableRequest", board=self.client.board(tiles, rows, rows)
                )
                refusal = self.refusal(self.client.CheckSolvable, request)
                self.assertIn(refusal.code, (Code.INVALID_ARGUMENT, Code.RESOURCE_EXHAUSTED))
                if refusal.bad_request:
                    self.assertLess(len(refusal.bad_request.field_violations), 100)

    def test_boards_of_zeros(self):
        for side in (2, 4, 128):
            board = self.client.board([0] * (side * side), side, side)
            for method, request in (
                ("Solve", self.client.solve_request(board)),
                ("CheckSolvable", self.client.message("CheckSolvableRequest", board=board)),
            ):
                refusal = self.assert_refused(
                    Code.INVALID_ARGUMENT,
                    "INVALID_REQUEST",
                    getattr(self.client, method),
                    request,
                )
                self.assertLess(len(refusal.bad_request.field_violations), 100)

    def test_numbers_out_of_this_world(self):
        board = self.client.board([1, 2, 3, 0])
        message = self.client.message
        bounded = self.client.objective("BOUNDED")
        longest, beyond, shortest = (message("Limits") for _ in range(3))
        # The longest that the protobuf type allows, and more than that.
        longest.max_time.seconds = 315_576_000_000
        beyond.max_time.seconds = 2**63 - 1
        shortest.max_time.nanos = -1
        for fields, refused in (
            ({"max_ratio": math.nan, "objective": bounded}, True),
            ({"max_ratio": -math.inf, "objective": bounded}, True),
            ({"objective": 2**31 - 1}, True),
            ({"objective": -(2**31)}, True),
            ({"metric": -1}, True),
            ({"limits": shortest}, True),
            ({"limits": beyond}, True),
            ({"limits": longest}, False),
            ({"limits": message("Limits", max_nodes=2**64 - 1)}, False),
            ({"limits": message("Limits", max_memory_bytes=2**64 - 1)}, False),
        ):
            request = message("SolveRequest", board=board, **fields)
            if refused:
                self.assert_refused(
                    Code.INVALID_ARGUMENT, "INVALID_REQUEST", self.client.Solve, request
                )
            else:
                self.assertEqual(self.client.Solve(request).solution.length, 0)

    def test_bytes_that_are_no_http(self):
        host, port = self.server.address.rsplit(":", 1)
        dice = random.Random(4)
        for data in (
            b"GET / HTTP/1.1\r\nHost: loyd\r\n\r\n",
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + dice.randbytes(1000),
            dice.randbytes(10_000),
            b"\x16\x03\x01\x02\x00",
        ):
            with socket.create_connection((host, int(port)), timeout=5) as connection:
                connection.sendall(data)
        self.assertEqual(len(self.client.boards(3)), 1)

    def test_connections_that_are_closed_in_the_middle_of_a_call(self):
        own = [("grpc.use_local_subchannel_pool", 1)]
        for board in self.client.boards(5, count=20, seed=2):
            request = self.client.solve_request(board, "OPTIMAL").SerializeToString()
            with grpc.insecure_channel(self.server.address, own) as channel:
                call = channel.unary_unary("/loyd.v1.PuzzleService/Solve").future(request)
                self.wait_until(lambda: self.searches() > 0, "it has begun")
                self.assertFalse(call.done())
            self.wait_until(lambda: self.searches() == 0, "it has ended")
