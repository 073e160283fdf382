"""HTTP/2 as attackers speak it: each attack is bounded, closed and counted, and others do not notice."""

import contextlib
import functools
import itertools
import resource
import socket
import threading
import time

import grpc
import waiting
from case import Case
from client import Client
from http2 import (
    CONTINUATION,
    DATA,
    END_HEADERS,
    END_STREAM,
    GOAWAY,
    HEADERS,
    INITIAL_WINDOW_SIZE,
    PING,
    RST_STREAM,
    SETTINGS,
    WINDOW_UPDATE,
    Connection,
    call,
    frame,
    header,
    headers,
    message,
    setting,
)

# How long a flood may last on a busy machine.
PATIENCE = 60

wait_until = functools.partial(waiting.wait_until, timeout=PATIENCE)

# What attacks may leave behind: allocator arenas and the buffers of a few connections.
GROWTH = 64 << 20

IDLE = 3_000

HEALTH = "grpc.health.v1.Health"

STREAMS = range(1, 200, 2)


def resets(attacker):
    """The calls that were reset."""
    return {stream for kind, _, stream, _ in list(attacker.frames) if kind == RST_STREAM}


class Bystander:
    """Another client, which makes calls all the time during an attack."""

    def __init__(self, case):
        self.case = case

    def __enter__(self):
        self._over = threading.Event()
        self.answers, self.failures = 0, []
        self._thread = threading.Thread(target=self._ask)
        self._thread.start()
        return self

    def _ask(self):
        client = self.case.client
        request = client.message("CheckSolvableRequest", board=client.board([1, 2, 3, 0]))
        while not self._over.is_set():
            try:
                client.CheckSolvable(request, timeout=PATIENCE)
                self.answers += 1
            except Exception as failure:
                self.failures.append(failure)
            time.sleep(0.02)

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()
        self.case.assertEqual(self.failures, [], "others are answered meanwhile")
        self.case.assertGreater(self.answers, 0)


class Abuse(Case):
    flags = ("--stall-timeout=2s", "--handshake-timeout=2s", "--table-memory=4M")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.client.boards(3)
        cls.before = cls.server.resident_bytes()

    def tearDown(self):
        super().tearDown()
        growth = self.server.resident_bytes() - self.before
        print(f"memory {growth / (1 << 20):+.1f} MiB ", end="", flush=True)
        self.assertLess(growth, GROWTH, "memory is bounded")

    def closed(self, reason):
        return self.server.metrics()[f'loyd_connections_closed_total{{reason="{reason}"}}']

    def assert_flood_ends(self, data, settings=b"", first=b""):
        """Checks that a connection on which this is sent again and again is closed, and counted as a
        flood."""
        before = self.closed("flood")
        with Bystander(self), Connection(self.server.address, settings) as attacker:
            attacker.send(first)
            self.assertTrue(attacker.flood(data, PATIENCE), "it goes on for ever")
        wait_until(lambda: self.closed("flood") > before, "it is counted")

    def test_ping_flood(self):
        self.assert_flood_ends(frame(PING, payload=bytes(8)) * 1000)

    def test_settings_flood(self):
        self.assert_flood_ends(frame(SETTINGS, payload=setting(INITIAL_WINDOW_SIZE, 65_535)) * 1000)

    def test_continuation_flood(self):
        first = frame(HEADERS, 0, 1, call("Solve"))
        self.assert_flood_ends(frame(CONTINUATION, 0, 1, header("x", "y")) * 100, first=first)

    def test_empty_data_flood(self):
        first = frame(HEADERS, END_HEADERS, 1, call("Solve"))
        self.assert_flood_ends(frame(DATA, 0, 1) * 100, first=first)

    def test_a_request_that_is_given_up_before_its_end_is_no_failure_of_loyd(self):
        def handled(code):
            name = f'loyd_requests_handled_total{{method="CheckSolvable",code="{code}"}}'
            return self.server.metrics().get(name, 0)

        def begin(peer):
            peer.send(headers(1, call("CheckSolvable")) + frame(DATA, 0, 1, b"\0\0\0\0\x10the first part"))
            started = 'loyd_requests_started_total{method="CheckSolvable"}'
            wait_until(lambda: self.server.metrics().get(started, 0) > begun, "it begins")

        for end in (lambda peer: peer.send(frame(RST_STREAM, 0, 1, b"\0\0\0\x08")), Connection.close):
            begun = self.server.metrics().get('loyd_requests_started_total{method="CheckSolvable"}', 0)
            cancelled, unknown = handled("CANCELLED"), handled("UNKNOWN")
            with Connection(self.server.address) as peer:
                begin(peer)
                end(peer)
                wait_until(lambda: handled("CANCELLED") == cancelled + 1, "it is counted")
            self.assertEqual(handled("UNKNOWN"), unknown)

    def test_rapid_reset(self):
        def ended():
            metrics = self.server.metrics()
            cancelled = 'loyd_requests_handled_total{method="Solve",code="CANCELLED"}'
            return self.closed("flood") + metrics.get(cancelled, 0)

        before = ended()
        block = call("Solve")
        with Bystander(self), Connection(self.server.address) as attacker:
            end = time.monotonic() + 5
            for first in itertools.count(1, 2000):
                pairs = (
                    frame(HEADERS, END_HEADERS, stream, block)
                    + frame(RST_STREAM, 0, stream, b"\0\0\0\x08")
                    for stream in range(first, first + 2000, 2)
                )
                # Calls that end at once, or the end of the connection.
                if not attacker.send(b"".join(pairs)) or time.monotonic() > end:
                    break
        wait_until(lambda: ended() > before, "they are counted")
        wait_until(
            lambda: not self.server.metrics().get('loyd_requests_in_flight{method="Solve"}'),
            "none goes on",
        )

    def test_headers_above_the_limit(self):
        """A list of 60 KB is refused, however it is packed."""
        large = call("Solve") + b"".join(header(f"x-{i}", "v" * 1000) for i in range(60))
        # One entry that is stored and referenced over and over: 4 KB become megabytes.
        remembered = b"\x40" + header("bomb", "v" * 3900)[1:]
        packed = call("Solve") + remembered + b"\xbe" * 4000
        for block in (large, packed):
            with Bystander(self), Connection(self.server.address) as attacker:
                attacker.send(headers(1, block, END_STREAM))
                attacker.wait_for(
                    lambda kind, flags, stream, payload: (kind, stream) in ((HEADERS, 1), (RST_STREAM, 1))
                    or kind == GOAWAY,
                    PATIENCE,
                )

    def test_a_window_that_hardly_opens(self):
        """Clients do not read what they asked for: answers of one piece, small and large, and of several."""
        board = self.client.boards(40)[0]
        small = self.client.message("CheckSolvableRequest", board=self.client.boards(10)[0])
        large = self.client.message("CheckSolvableRequest", board=board)
        solve = self.client.solve_request(board, "FAST")
        asked = [("CheckSolvable", small), ("CheckSolvable", large), ("Solve", solve)]
        before, counted, ended = self.closed("stalled"), self.stalled("connections"), self.stalled("calls")
        with Bystander(self), contextlib.ExitStack() as connections:
            attackers = {}
            for window, (name, request) in itertools.product((0, 1, 10), asked):
                settings = setting(INITIAL_WINDOW_SIZE, window)
                attacker = connections.enter_context(Connection(self.server.address, settings))
                for stream in STREAMS[:10]:
                    attacker.send(
                        frame(HEADERS, END_HEADERS, stream, call(name))
                        + frame(DATA, END_STREAM, stream, message(request.SerializeToString()))
                    )
                # A call of which something is taken is ended alone, unless hardly anything is left.
                kept = window > 0 and request is not small
                attackers.setdefault(kept, []).append(attacker)
            for attacker in attackers[True]:
                wait_until(lambda: resets(attacker) >= set(STREAMS[:10]), "its calls are reset")
                self.assertFalse(attacker.closed_within(0))
            for attacker in attackers[False]:
                self.assertTrue(attacker.closed_within(PATIENCE))
        wait_until(lambda: self.closed("stalled") >= before + 5, "they are counted")
        self.assertEqual(self.stalled("connections"), counted + 5, "once each")
        self.assertEqual(self.stalled("calls"), ended + 40, "once each")
        self.server.wait_for_line(
            lambda line: line.get("reason") == "stalled" and "127.0.0.1" in line["peer"], "the peer"
        )

    def generated(self, size):
        """Requests for three boards."""
        request = self.client.message("GenerateRequest", rows=size, columns=size, count=3, seed=1)
        return message(request.SerializeToString())

    def test_answers_that_are_taken_by_the_byte(self):
        for size, end in ((100, self.are_reset), (10, self.is_closed)):
            with self.subTest(size=size), Bystander(self), Connection(
                self.server.address, setting(INITIAL_WINDOW_SIZE, 1)
            ) as attacker:
                for stream in STREAMS:
                    attacker.send(frame(HEADERS, END_HEADERS, stream, call("Generate")))
                    attacker.send(frame(DATA, END_STREAM, stream, self.generated(size)))
                one = (1).to_bytes(4, "big")
                opened = b"".join(frame(WINDOW_UPDATE, 0, stream, one) for stream in STREAMS)
                self.until(end, attacker, lambda: attacker.send(opened), 0.5)

    def test_answers_that_nobody_takes_beside_others_that_wait(self):
        """As many health streams, started again and again, do not hide them."""
        for size, end in ((100, self.are_reset), (10, self.is_closed)):
            streams = itertools.count(1, 2)

            def begin(block, body):
                stream = next(streams)
                attacker.send(frame(HEADERS, END_HEADERS, stream, block))
                attacker.send(frame(DATA, END_STREAM, stream, body))
                return stream

            def watch():
                for stream in watches:
                    attacker.send(frame(RST_STREAM, 0, stream, bytes([0, 0, 0, 8])))
                watches[:] = [begin(call("Watch", service=HEALTH), message(b"")) for _ in range(105)]

            with self.subTest(size=size), Bystander(self), Connection(
                self.server.address, setting(INITIAL_WINDOW_SIZE, 100)
            ) as attacker:
                watches = []
                for _ in STREAMS:
                    begin(call("Generate"), self.generated(size))
                self.until(end, attacker, watch, 0.9)

    def until(self, end, attacker, step, seconds):
        """Repeats a step until the answers of an attacker have come to an end."""
        before, late = self.closed("stalled"), time.monotonic() + PATIENCE
        while not end(attacker, seconds):
            self.assertLess(time.monotonic(), late, f"{end.__name__}: not in time")
            step()
        if end == self.is_closed:
            wait_until(lambda: self.closed("stalled") > before, "it is counted")

    @staticmethod
    def is_closed(attacker, seconds):
        return attacker.closed_within(seconds)

    @staticmethod
    def are_reset(attacker, seconds):
        """Whether all of its answers are, and the connection is open."""
        is_open = not attacker.closed_within(seconds)
        return is_open and resets(attacker) >= set(STREAMS)

    def test_large_messages_to_health(self):
        """They need neither a token nor a place, and are refused for their length."""
        with Bystander(self), Connection(self.server.address) as attacker:
            for stream in range(1, 400, 2):
                attacker.send(frame(HEADERS, END_HEADERS, stream, call("Check", service=HEALTH)))
                attacker.send(frame(DATA, 0, stream, message(bytes(4 << 20))[:1_000]))
            refused = 'loyd_requests_handled_total{method="health",code="RESOURCE_EXHAUSTED"}'
            wait_until(lambda: self.server.metrics().get(refused) == 200, "all are refused")

    def stalled(self, what):
        return self.server.metrics()[f"loyd_stalled_{what}_total"]

    def test_bodies_that_never_end(self):
        with Bystander(self), Connection(self.server.address) as attacker:
            streams = range(1, 40, 2)
            for stream in streams:
                attacker.send(
                    frame(HEADERS, END_HEADERS, stream, call("Solve"))
                    + frame(DATA, 0, stream, message(bytes(1000))[:6])
                )
            # One more byte now and then does not buy more time.
            end = time.monotonic() + PATIENCE

            def answered():
                ended = {frame[2] for frame in list(attacker.frames) if frame[0] in (HEADERS, RST_STREAM)}
                return set(streams) <= ended

            while not answered():
                self.assertLess(time.monotonic(), end, "they are waited for for ever")
                attacker.send(b"".join(frame(DATA, 0, stream, b"\0") for stream in streams))
                time.sleep(0.5)

    def test_connections_that_stop_in_the_middle_of_the_preface(self):
        before = self.closed("handshake")
        host, port = self.server.address.rsplit(":", 1)
        with Bystander(self):
            silent = [socket.create_connection((host, int(port)), timeout=PATIENCE) for _ in range(100)]
            for connection in silent[::2]:
                connection.sendall(b"PRI * HTTP")
            for connection in silent:
                self.assertEqual(connection.recv(1), b"", "it is closed")
                connection.close()
        wait_until(lambda: self.closed("handshake") == before + 100, "all are counted")


class LargeRequests(Case):
    """Large requests that arrive in part hold no more memory than there is for them."""

    flags = ("--memory-limit=256M", "--table-memory=4M", "--stall-timeout=10m")

    def test_large_requests_that_do_not_end(self):
        large = self.client.boards(100)[0]
        lack = 'loyd_overloaded_total{lack="requests"}'
        part = message(bytes(100_000))[:60_000]
        end = time.monotonic() + PATIENCE
        with Bystander(self), contextlib.ExitStack() as attackers:
            while not self.server.metrics().get(lack, 0):
                self.assertLess(time.monotonic(), end, "some are refused")
                attacker = attackers.enter_context(Connection(self.server.address))
                for stream in (1, 3, 5, 7):
                    attacker.send(frame(HEADERS, END_HEADERS, stream, call("Solve")))
                    pieces = range(0, len(part), 15_000)
                    attacker.send(b"".join(frame(DATA, 0, stream, part[at : at + 15_000]) for at in pieces))
            # They make way long before their time is up.
            wait_until(lambda: self.answers(large), "there is room again")

    def answers(self, board):
        try:
            return self.client.CheckSolvable(self.client.message("CheckSolvableRequest", board=board)).solvable
        except grpc.RpcError as error:
            self.assertEqual(error.code(), grpc.StatusCode.RESOURCE_EXHAUSTED)
            return False


class IdleConnections(Case):
    """Thousands of connections that ask for nothing."""

    # They do not answer PINGs either.
    flags = (
        "--max-connection-idle=5s",
        "--keepalive-timeout=1s",
        "--max-connections=3500",
        "--table-memory=4M",
    )

    def test_they_are_bounded_and_told_to_go(self):
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        before = self.server.resident_bytes()
        host, port = self.server.address.rsplit(":", 1)
        greeting = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS)
        held = []
        for _ in range(IDLE):
            held.append(socket.create_connection((host, int(port)), timeout=PATIENCE))
            held[-1].sendall(greeting)
        growth = self.server.resident_bytes() - before
        print(f"{growth / IDLE / 1024:.1f} KiB each ", end="", flush=True)
        self.assertLess(growth, IDLE * (64 << 10))
        # Calls are answered, and there is room for more connections.
        with Client(self.server.address) as client:
            self.assertEqual(len(client.boards(3)), 1)
        end = time.monotonic() + PATIENCE
        while self.server.metrics()['loyd_connections_closed_total{reason="idle"}'] < IDLE:
            self.assertLess(time.monotonic(), end, "they are told to go")
            time.sleep(0.2)
        for connection in held:
            connection.close()


class CrowdedConnections(Case):
    """Whoever opens as many connections as it can leaves some to others."""

    flags = ("--max-connections=128", "--table-memory=4M")

    def test_an_address_with_many_connections(self):
        refused = 'loyd_connections_closed_total{reason="limit"}'
        host, port = self.server.address.rsplit(":", 1)
        with contextlib.ExitStack() as held:
            while not self.server.metrics().get(refused, 0):
                source = ("127.0.0.2", 0)
                stream = socket.create_connection((host, int(port)), PATIENCE, source)
                held.enter_context(stream)
                stream.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS))
            for _ in range(5):
                with Client(self.server.address) as client:
                    self.assertEqual(len(client.boards(3)), 1)
        refusal = self.server.wait_for_line(lambda line: line.get("reason") == "limit", "refused connection")
        self.assertTrue(refusal["peer"].startswith("127.0.0.2:"), refusal)


class Places(Case):
    flags = ("--table-memory=4M",)

    def refused(self):
        """How many calls found no place."""
        return self.server.metrics().get('loyd_overloaded_total{lack="calls"}', 0)

    def test_places_of_calls_that_do_not_go_on(self):
        """They come without their requests, or nobody takes their answers, and there are more of them than
        places. The bystander gets one of those of which a connection gets few."""
        check = self.client.message("CheckSolvableRequest", board=self.client.boards(3)[0])
        whole = message(check.SerializeToString())
        for window, is_whole in ((65_535, False), (0, True)):
            before = self.refused()
            with self.subTest(window=window), Bystander(self), contextlib.ExitStack() as connections:
                for _ in range(20):
                    settings = setting(INITIAL_WINDOW_SIZE, window)
                    attacker = connections.enter_context(Connection(self.server.address, settings))
                    for stream in range(1, 512, 2):
                        attacker.send(frame(HEADERS, END_HEADERS, stream, call("CheckSolvable")))
                        if is_whole:
                            attacker.send(frame(DATA, END_STREAM, stream, whole))
                wait_until(lambda: self.refused() > before, "there is no place any more")
                time.sleep(2)
