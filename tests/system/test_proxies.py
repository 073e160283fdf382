"""What callers see through each of the balancers of deploy/."""

import contextlib
import itertools
import pathlib
import tempfile
import time
import unittest

import grpc
import trustme
from client import Client, Refusal
from http2 import (
    DATA,
    END_STREAM,
    INITIAL_WINDOW_SIZE,
    Connection,
    call,
    frame,
    headers,
    message,
    setting,
)
from proxies import ALL, HAProxy, Nginx, fixed_port
from server import Server
from waiting import wait_until

Code = grpc.StatusCode

# The connections of each side where callers share those of a balancer: so many that some meet, whichever
# of its threads and of the replicas they get.
CALLERS = 4


class Behind(unittest.TestCase):
    """Two replicas behind each balancer."""

    flags = ()

    @classmethod
    def setUpClass(cls):
        ports = [fixed_port(), fixed_port()]
        cls.servers = []
        for port in ports:
            server = Server(*cls.flags, listen=f"127.0.0.1:{port}")
            cls.addClassCleanup(server.stop)
            cls.servers.append(server)
        cls.proxies = [kind(ports) for kind in ALL]
        for proxy in cls.proxies:
            cls.addClassCleanup(proxy.stop)
            proxy.start()
        # According to what they report about the replicas' health.
        for proxy in cls.proxies:
            proxy.wait_for_replicas()

    @contextlib.contextmanager
    def peers(self, proxy, settings=b""):
        with contextlib.ExitStack() as peers:
            yield [peers.enter_context(Connection(proxy.address, settings)) for _ in range(CALLERS)]

    @staticmethod
    def leave_answers(peers, client, calls):
        """Has each peer make calls whose answers it does not take."""
        request = client.stream_request(client.boards(100)[0], "FAST")
        request = message(request.SerializeToString())
        parts = [request[i : i + 16_000] for i in range(0, len(request), 16_000)]
        for peer, number in itertools.product(peers, range(1, 2 * calls, 2)):
            peer.send(headers(number, call("SolveStream")))
            peer.send(b"".join(frame(DATA, 0, number, part) for part in parts))
            peer.send(frame(DATA, END_STREAM, number))


class Through(Behind):
    def each(self, see, but=()):
        """Runs `see(client)` through each balancer."""
        for proxy in (proxy for proxy in self.proxies if not isinstance(proxy, but)):
            with self.subTest(proxy=type(proxy).__name__), Client(proxy.address) as client:
                see(client)

    def test_the_programs_take_their_configurations(self):
        for proxy in self.proxies:
            with self.subTest(proxy=type(proxy).__name__):
                code, said = proxy.check()
                self.assertEqual(code, 0, said)
                self.assertNotRegex(said.lower(), r"\[?warn|deprecated", "and do not complain")

    def test_the_largest_boards_and_answers_come_through(self):
        def see(client):
            board = client.boards(128, seed=1)[0]
            goal = client.message("Goal", board=client.board([*range(1, 128 * 128), 0]))
            check = client.message("CheckSolvableRequest", board=board, goal=goal)
            self.assertTrue(client.CheckSolvable(check, timeout=20).solvable)

            request = client.stream_request(client.boards(40, seed=2)[0], "FAST")
            moves, length = 0, None
            for event in client.SolveStream(request, timeout=20):
                if event.WhichOneof("event") == "moves":
                    moves += len(event.moves.moves)
                elif event.WhichOneof("event") == "summary":
                    length = event.summary.solution.length
            self.assertGreater(moves, 100_000)
            self.assertEqual(moves, length)

        self.each(see)

    def test_refusals_come_through_whole(self):
        def see(client):
            with self.assertRaises(grpc.RpcError) as caught:
                client.Solve(client.solve_request([1, 2, 3, 4, 5, 6, 8, 7, 0]))
            refusal = Refusal(caught.exception)
            self.assertEqual(
                (refusal.code, refusal.reason), (Code.FAILED_PRECONDITION, "UNSOLVABLE")
            )
            self.assertEqual(refusal.info.metadata["interchanges"], "1")

        self.each(see)

    def test_metadata_that_loyd_takes_costs_no_call(self):
        def see(client):
            check = client.message("CheckSolvableRequest", board=client.board([1, 2, 3, 0]))
            for metadata in (("user_id", "7"), ("x-token", "t" * 12_000)):
                self.assertTrue(client.CheckSolvable(check, metadata=[metadata], timeout=20).solvable)

        self.each(see)

    def test_requests_that_are_too_large_are_refused_by_loyd(self):
        def see(client):
            # Just over --max-request-bytes, and what is more than gRPC takes by default.
            for size in (140_000, 1_000_000, 5_000_000):
                check = client.message("CheckSolvableRequest", board=client.board([1] * size))
                with self.assertRaises(grpc.RpcError) as caught:
                    client.CheckSolvable(check, timeout=20)
                refusal = Refusal(caught.exception)
                self.assertEqual(
                    (refusal.code, refusal.reason), (Code.RESOURCE_EXHAUSTED, "REQUEST_TOO_LARGE"), refusal.message
                )

        # HAProxy resets a call whose answer is earlier than the end of its request.
        self.each(see, but=HAProxy)

    def test_deadlines_come_through(self):
        def see(client):
            # BEST takes as long as it is told, and answers just before. Without a limit it would end after a second.
            request = client.solve_request(client.boards(6, seed=3)[0])

            def is_kept():
                try:
                    answer = client.Solve(request, timeout=3)
                except grpc.RpcError as error:
                    # It may come too late when many others want the cores.
                    self.assertEqual(error.code(), Code.DEADLINE_EXCEEDED)
                    return False
                return answer.statistics.elapsed.ToTimedelta().total_seconds() > 1.5

            wait_until(is_kept, "no answer comes just before the deadline")

        self.each(see)

    def test_what_loyds_http2_refuses_ends_no_calls_of_others(self):
        refused = [
            # Lists of which it counts the size, and of which it loses count.
            *(call("CheckSolvable", **{f"x-{i}": "v" * 960 for i in range(size)}) for size in (17, 40)),
            call("CheckSolvable", **{":path": "/<>"}),
            call("CheckSolvable", **{":authority": "[::"}),
            # A value that is none.
            call("CheckSolvable", **{"x-value": "\x01"}),
        ]
        for proxy in self.proxies:
            with self.subTest(proxy=type(proxy).__name__), contextlib.ExitStack() as callers:
                clients = [callers.enter_context(Client(proxy.address)) for _ in range(CALLERS)]
                board = clients[0].boards(6, seed=3)[0]
                limits = clients[0].message("Limits", max_time={"seconds": 4})
                request = clients[0].stream_request(board, solve={"limits": limits})
                streams = [client.SolveStream(request, timeout=60) for client in clients]
                for stream in streams:
                    next(stream)
                for block in refused:
                    with self.peers(proxy) as peers:
                        for peer, number in itertools.product(peers, range(1, 41, 2)):
                            # A body in small pieces costs the connection most.
                            peer.send(headers(number, block) + frame(DATA, 0, number, b"x") * 100)
                        time.sleep(0.2)
                for stream in streams:
                    *_, last = stream
                    self.assertEqual(last.WhichOneof("event"), "summary")

    def test_answers_that_a_caller_does_not_take_hold_up_no_others(self):
        for proxy in self.proxies:
            with self.subTest(proxy=type(proxy).__name__), contextlib.ExitStack() as callers:
                clients = [callers.enter_context(Client(proxy.address)) for _ in range(CALLERS)]
                peers = callers.enter_context(self.peers(proxy, setting(INITIAL_WINDOW_SIZE, 0)))
                self.leave_answers(peers, clients[0], 30)
                # Until the buffers are full.
                time.sleep(2)
                for client in clients * 10:
                    check = client.message("CheckSolvableRequest", board=client.board([1, 2, 3, 0]))
                    # One that has to wait waits for as long as the answers.
                    self.assertTrue(client.CheckSolvable(check, timeout=10).solvable)


class WithLittlePatience(Behind):
    flags = ("--stall-timeout=1s",)

    def stalled(self):
        return sum(server.metrics()["loyd_stalled_calls_total"] for server in self.servers)

    def test_answers_that_a_caller_does_not_take_end_no_calls_of_others(self):
        # nginx has a connection for each call, and the system's buffers take the answer.
        for proxy in (proxy for proxy in self.proxies if not isinstance(proxy, Nginx)):
            with self.subTest(proxy=type(proxy).__name__), contextlib.ExitStack() as callers:
                clients = [callers.enter_context(Client(proxy.address)) for _ in range(CALLERS)]
                limits = clients[0].message("Limits", max_time={"seconds": 6})
                request = clients[0].stream_request(clients[0].boards(6)[0], solve={"limits": limits})
                streams = [client.SolveStream(request, timeout=60) for client in clients]
                for stream in streams:
                    next(stream)
                before = self.stalled()
                peers = callers.enter_context(self.peers(proxy, setting(INITIAL_WINDOW_SIZE, 0)))
                self.leave_answers(peers, clients[0], 5)
                for stream in streams:
                    *_, last = stream
                    self.assertEqual(last.WhichOneof("event"), "summary")
                self.assertGreater(self.stalled(), before)


class WithTLS(unittest.TestCase):
    def test_replicas_that_require_a_certificate_are_found_and_called(self):
        folder = tempfile.TemporaryDirectory(prefix="loyd-balancer-")
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name)
        authority = trustme.CA()
        authority.cert_pem.write_to_path(path / "ca.crt")
        server = authority.issue_cert("loyd-headless.loyd.svc")
        server.private_key_pem.write_to_path(path / "server.key")
        server.cert_chain_pems[0].write_to_path(path / "server.crt")
        balancer = authority.issue_cert("balancer.example")
        balancer.private_key_pem.write_to_path(path / "tls.key")
        balancer.cert_chain_pems[0].write_to_path(path / "tls.crt")
        balancer.private_key_and_cert_chain_pem.write_to_path(path / "tls-combined.pem")

        ports = [fixed_port(), fixed_port()]
        flags = [f"--tls-cert={path}/server.crt", f"--tls-key={path}/server.key", f"--tls-client-ca={path}/ca.crt"]
        for port in ports:
            self.addCleanup(Server(*flags, listen=f"127.0.0.1:{port}").stop)
        for kind in ALL:
            with self.subTest(proxy=kind.__name__):
                proxy = kind(ports, tls=path)
                self.addCleanup(proxy.stop)
                self.assertEqual(proxy.check()[0], 0, proxy.check()[1])
                proxy.start()
                proxy.wait_for_replicas()
                with Client(proxy.address) as client:
                    self.assertEqual(len(client.boards(3)), 1)


class WithoutReplicas(unittest.TestCase):
    def test_nobody_to_ask_is_unavailable(self):
        for kind in ALL:
            with self.subTest(proxy=kind.__name__):
                proxy = kind([fixed_port(), fixed_port()])
                self.addCleanup(proxy.stop)
                proxy.start()
                with grpc.insecure_channel(proxy.address) as channel:
                    call = channel.unary_unary("/loyd.v1.PuzzleService/CheckSolvable")
                    with self.assertRaises(grpc.RpcError) as caught:
                        call(b"", timeout=10)
                self.assertEqual(caught.exception.code(), Code.UNAVAILABLE)
                self.assertNotIn("<html>", caught.exception.details())
