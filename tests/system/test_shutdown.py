"""SIGTERM: the exit is clean and in time, whatever the clients do."""

import re
import signal
import socket
import threading
import time
import unittest

import grpc
import http2
from client import SERVICE, Client, Refusal
from grpc_health.v1 import health_pb2, health_pb2_grpc
from proxies import DEPLOY
from server import Server
from waiting import least

Code = grpc.StatusCode

GRACE = 3.0

# From the signal to the end of the process, excluding the drain.
SLACK = 1.0


# The type of the HTTP/2 frame that begins an answer.
HEADERS = 1

# The bytes of a health call, as deploy/haproxy makes it.
HEALTH_CHECK = bytes.fromhex(
    "".join(re.findall("send-binary ([0-9a-f]+)", (DEPLOY / "haproxy/haproxy.cfg").read_text()))
)


class Shutdown(unittest.TestCase):
    def assert_ends(self, server, within):
        begun = time.monotonic()
        self.assertEqual(server.process.wait(within + SLACK), 0)
        took = time.monotonic() - begun
        self.assertEqual(server.errors(), [])
        return took

    def test_an_idle_server_ends_at_once(self):
        def ends():
            with Server(f"--drain-grace={GRACE}s") as server:
                server.terminate()
                return self.assert_ends(server, GRACE)

        self.assertLess(least(ends, 1.0), 1.0)

    def test_a_hang_up_ends_nothing(self):
        with Server(f"--drain-grace={GRACE}s") as server, Client(server.address) as client:
            server.process.send_signal(signal.SIGHUP)
            server.wait_for_line(lambda line: line["message"].startswith("SIGHUP"), "SIGHUP")
            client.Solve(client.solve_request([1, 2, 0, 3]))
            server.terminate()
            self.assert_ends(server, GRACE)

    def test_calls_in_flight_end_and_new_ones_go_elsewhere(self):
        with Server(f"--drain-grace={GRACE}s") as server, Client(server.address) as client:
            boards = client.boards(5, count=12, seed=3)
            soon = client.message("Limits")
            soon.max_time.FromMilliseconds(800)
            short = [
                client.Solve.future(client.solve_request(board, limits=soon))
                for board in boards[:4]
            ]
            hopeless = [
                client.Solve.future(client.solve_request(board, "OPTIMAL"))
                for board in boards[4:]
            ]
            streams = [
                client.SolveStream(client.stream_request(board, "OPTIMAL"))
                for board in client.boards(5, count=2, seed=4)
            ]
            for stream in streams:
                next(stream)
            server.terminate()
            for call in short:
                self.assertGreater(call.result(timeout=GRACE).solution.length, 0)
            for call in hopeless:
                refusal = Refusal(call.exception(timeout=GRACE + SLACK) and call)
                self.assertEqual((refusal.code, refusal.reason), (Code.UNAVAILABLE, "DRAINING"))
                self.assertGreater(refusal.retry.retry_delay.ToMilliseconds(), 0)
            for stream in streams:
                with self.assertRaises(grpc.RpcError) as caught:
                    for _ in stream:
                        pass
                self.assertEqual(caught.exception.code(), Code.UNAVAILABLE)
            self.assert_ends(server, GRACE)

    def test_peers_that_do_nothing_do_not_hold_it(self):
        with Server(f"--drain-grace={GRACE}s") as server, Client(server.address) as client:
            host, port = server.address.rsplit(":", 1)
            silent = socket.create_connection((host, int(port)))
            half = socket.create_connection((host, int(port)))
            half.sendall(b"PRI * HTTP/2.0\r\n\r\n")
            # It has begun and answers no PING: to the server it looks like a peer whose cable was pulled.
            deaf = socket.create_connection((host, int(port)))
            deaf.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0")

            include = client.message("Include", boards=True)
            board = client.boards(60)[0]
            unread = client.SolveStream(
                client.stream_request(board, "FAST", solve={"include": include})
            )
            next(unread)
            endless = client.SolveStream(
                client.stream_request(client.boards(5, seed=5)[0], "OPTIMAL")
            )
            reader = threading.Thread(target=lambda: self.drained(endless), daemon=True)
            reader.start()
            time.sleep(0.3)

            server.terminate()
            self.assert_ends(server, GRACE)
            reader.join(SLACK)
            for connection in (silent, half, deaf):
                connection.close()

    def drained(self, stream):
        with self.assertRaises(grpc.RpcError):
            for _ in stream:
                pass

    def test_a_peer_that_has_more_to_say_is_not_reset(self):
        """Bytes to a closed socket are answered with a reset, which can cost a peer the answers that it has not yet read.
        HAProxy acknowledges one answer while the next one and the end arrive."""
        with Server(f"--drain-grace={GRACE}s") as server:
            host, port = server.address.rsplit(":", 1)
            with socket.create_connection((host, int(port)), timeout=20) as peer:
                peer.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + http2.frame(http2.SETTINGS))
                received = peer.recv(1 << 16)
                server.terminate()
                # The end follows when this has been acknowledged.
                ping = http2.frame(http2.PING, payload=bytes(8))[:9]
                # All of the frame: its payload is to be sent back.
                while len(received.partition(ping)[2]) < 8:
                    received += peer.recv(1 << 16)
                at = received.index(ping) + len(ping)
                peer.sendall(http2.frame(http2.PING, 1, payload=received[at : at + 8]))
                while peer.recv(1 << 16):
                    pass
                for _ in range(3):
                    peer.sendall(http2.frame(http2.WINDOW_UPDATE, payload=b"\0\0\0\1"))
                    time.sleep(0.05)
            self.assert_ends(server, GRACE)

    def test_health_says_so_before_the_door_is_closed(self):
        with Server("--drain-delay=5s", "--drain-grace=2s") as server:
            with Client(server.address) as client:
                health = health_pb2_grpc.HealthStub(client.channel)
                watched = health.Watch(health_pb2.HealthCheckRequest(service=SERVICE))
                serving = health_pb2.HealthCheckResponse.SERVING
                not_serving = health_pb2.HealthCheckResponse.NOT_SERVING
                self.assertEqual(next(watched).status, serving)
                server.terminate()
                self.assertEqual(next(watched).status, not_serving)
                answer = health.Check(health_pb2.HealthCheckRequest(service=SERVICE))
                self.assertEqual(answer.status, not_serving)
                # Until the balancer has noticed, calls continue.
                board = client.board([1, 2, 3, 4, 5, 6, 0, 7, 8])
                self.assertEqual(client.Solve(client.solve_request(board)).solution.length, 2)
            self.assert_ends(server, 7.0)

    def test_health_says_so_until_the_end(self):
        """To those who may still ask: the connections that have a call in flight."""
        with Server(f"--drain-grace={GRACE}s") as server, Client(server.address) as client:
            stream = client.stream_request(client.boards(5)[0], "OPTIMAL")
            with http2.Connection(server.address) as connection:
                self.ask(connection, 1, "SolveStream", stream.SerializeToString())
                connection.wait_for(lambda kind, *_: kind == http2.DATA, GRACE)
                server.terminate()
                connection.wait_for(lambda kind, *_: kind == http2.GOAWAY, GRACE)
                for number, name, status in ((3, SERVICE, 2), (5, "", 1)):
                    asked = health_pb2.HealthCheckRequest(service=name).SerializeToString()
                    self.ask(connection, number, "Check", asked, "grpc.health.v1.Health")
                    *_, told = connection.wait_for(
                        lambda kind, _, stream, __: (kind, stream) == (http2.DATA, number), GRACE
                    )
                    answer = health_pb2.HealthCheckResponse(status=status).SerializeToString()
                    self.assertEqual(told, http2.message(answer))
            self.assert_ends(server, GRACE)

    def ask(self, connection, number, method, message, service=SERVICE):
        head = http2.call(method, service)
        body = http2.message(message)
        connection.send(http2.frame(http2.HEADERS, http2.END_HEADERS, number, head))
        connection.send(http2.frame(http2.DATA, http2.END_STREAM, number, body))

    def test_a_grace_of_nothing(self):
        with Server("--drain-grace=0s") as server, Client(server.address) as client:
            call = client.Solve.future(
                client.solve_request(client.boards(5)[0], "OPTIMAL")
            )
            time.sleep(0.2)
            server.terminate()
            self.assertLess(self.assert_ends(server, 0), SLACK)
            self.assertEqual(call.exception() and call.code(), Code.UNAVAILABLE)

    def test_who_has_connected_before_is_served(self):
        """Its first bytes were on their way when the others were told to go."""
        # It has half a second, which may pass on a busy machine before its turn comes.
        self.assertTrue(any(self.late_caller_is_answered() for _ in range(3)))

    def late_caller_is_answered(self):
        with Server(f"--drain-grace={GRACE}s") as server:
            host, port = server.address.rsplit(":", 1)
            with socket.create_connection((host, int(port)), timeout=GRACE + SLACK) as late:
                time.sleep(0.2)
                server.terminate()
                server.wait_for_log("draining: health status is NOT_SERVING")
                time.sleep(0.05)
                answer = b""
                try:
                    late.sendall(HEALTH_CHECK)
                    while part := late.recv(4096):
                        answer += part
                except ConnectionError:
                    pass
            self.assert_ends(server, GRACE)
        types = []
        while len(answer) >= 9:
            types.append(answer[3])
            answer = answer[9 + int.from_bytes(answer[:3], "big") :]
        return HEADERS in types
