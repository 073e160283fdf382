"""Clients that follow deploy/client: which replica they call, and which they retry."""

import base64
import concurrent.futures
import json
import pathlib
import signal
import subprocess
import time
import unittest

import grpc
from client import SERVICE, Client, Refusal
from proxies import DEPLOY
from server import Server
from waiting import wait_until

Code = grpc.StatusCode

POLICY = json.loads((DEPLOY / "client/service-config.json").read_text())
HEDGING = json.loads((DEPLOY / "client/service-config-hedging.json").read_text())

MOST_ATTEMPTS = POLICY["methodConfig"][0]["retryPolicy"]["maxAttempts"]

HERE = pathlib.Path(__file__).parent

# Calls at a time, enough that both replicas get some.
CALLS = 4


class Channel:
    """A channel to some servers that follows a service config."""

    def __init__(self, case, servers, config=POLICY):
        options = [
            ("grpc.use_local_subchannel_pool", 1),
            ("grpc.default_authority", "loyd"),
            ("grpc.service_config", json.dumps(config)),
        ]
        target = "ipv4:" + ",".join(server.address for server in servers)
        self.channel = grpc.insecure_channel(target, options)
        case.addCleanup(self.channel.close)

    def call(self, method, message):
        call = self.channel.unary_unary(
            f"/{SERVICE}/{method}", request_serializer=lambda message: message.SerializeToString()
        )
        return call(message, timeout=20)


def handled(server, method, code=None):
    """How many calls the server has answered."""
    return sum(
        value
        for name, value in server.metrics().items()
        if name.startswith("loyd_requests_handled_total{")
        and f'method="{method}"' in name
        and (code is None or f'code="{code}"' in name)
    )


class Policy(unittest.TestCase):
    def server(self, *flags):
        server = Server(*flags)
        self.addCleanup(server.stop)
        return server

    def client(self, server):
        client = Client(server.address)
        self.addCleanup(client.close)
        return client

    def test_an_overloaded_server_is_asked_again_when_it_says(self):
        server = self.server("--max-calls=1")
        client = self.client(server)
        hopeless = client.solve_request(client.boards(5, seed=8)[0], "OPTIMAL")
        small = client.solve_request([1, 2, 3, 4, 5, 6, 0, 7, 8])
        channel = Channel(self, [server])
        busy = client.Solve.future(hopeless)
        while server.metrics()["loyd_searches_running"] == 0:
            self.assertFalse(busy.done())
        # Without a policy, retrying is up to the caller.
        with self.assertRaises(grpc.RpcError) as caught:
            client.Solve(small)
        refusal = Refusal(caught.exception)
        self.assertEqual((refusal.code, refusal.reason), (Code.RESOURCE_EXHAUSTED, "OVERLOADED"))
        # Its own pauses would all end before there is room, so it must wait as long as it is told.
        pushback = int(refusal.trailers["grpc-retry-pushback-ms"]) / 1e3
        self.assertGreater(pushback, 0.5)
        refused = 'loyd_overloaded_total{lack="calls"}'
        before = server.metrics()[refused]
        asked = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor() as one:
            answer = one.submit(channel.call, "Solve", small)
            wait_until(lambda: server.metrics()[refused] > before, "it is refused", server.metrics)
            busy.cancel()
            answer.result()
        # Others are told up to two fifths more than the least.
        self.assertGreaterEqual(time.monotonic() - asked, 0.9 * pushback / 1.4)

    def test_what_would_fail_again_is_not_asked_again(self):
        server = self.server()
        client = self.client(server)
        limits = client.message("Limits", max_nodes=10_000)
        request = client.solve_request(client.boards(5, seed=8)[0], "OPTIMAL", limits=limits)
        with self.assertRaises(grpc.RpcError) as caught:
            Channel(self, [server]).call("Solve", request)
        self.assertEqual(Refusal(caught.exception).reason, "NODE_LIMIT")
        self.assertEqual(handled(server, "Solve"), 1)

    def test_who_meets_limits_is_still_asked_again_when_overloaded(self):
        """To gRPC an answer that it must not ask again is a failure, and after many failures it does not ask
        again at all."""
        server = self.server("--max-calls=1")
        client = self.client(server)
        limits = client.message("Limits", max_nodes=1_000)
        limited = client.solve_request(client.boards(5, seed=8)[0], "OPTIMAL", limits=limits)
        small = client.solve_request([1, 2, 3, 4, 5, 6, 0, 7, 8])
        channel = Channel(self, [server])
        # Enough for a third of them to use up the tokens.
        for _ in range(500):
            with self.assertRaises(grpc.RpcError):
                channel.call("Solve", limited)
            channel.call("Solve", small)
            channel.call("Solve", small)
        hopeless = client.solve_request(client.boards(5, seed=8)[0], "OPTIMAL")
        busy = client.Solve.future(hopeless)
        self.addCleanup(busy.cancel)
        while server.metrics()["loyd_searches_running"] == 0:
            self.assertFalse(busy.done())
        refused = 'loyd_overloaded_total{lack="calls"}'
        before = server.metrics()[refused]
        with self.assertRaises(grpc.RpcError):
            channel.call("Solve", small)
        self.assertEqual(server.metrics()[refused] - before, MOST_ATTEMPTS)

    def test_calls_go_to_all_replicas_but_those_that_drain(self):
        first, second = self.server("--drain-delay=10s"), self.server()
        client = self.client(second)
        check = client.message("CheckSolvableRequest", board=client.board([1, 2, 3, 0]))
        for config in (POLICY, HEDGING):
            with self.subTest(hedging=config is HEDGING):
                channel = Channel(self, [first, second], config)
                before = [handled(server, "CheckSolvable") for server in (first, second)]
                # It starts with the first replica to which it has a connection.
                give_up = time.monotonic() + 10
                while not all(
                    handled(server, "CheckSolvable") >= count + 5
                    for server, count in zip((first, second), before)
                ):
                    self.assertLess(time.monotonic(), give_up)
                    channel.call("CheckSolvable", check)

        channel = Channel(self, [first, second])
        channel.call("CheckSolvable", check)
        first.terminate()
        first.wait_for_log("draining: health status is NOT_SERVING")
        # It still serves, and no new calls arrive once its state is known.
        give_up = time.monotonic() + 8
        quiet = 0
        while quiet < 20:
            self.assertLess(time.monotonic(), give_up)
            count = handled(first, "CheckSolvable")
            channel.call("CheckSolvable", check)
            quiet = quiet + 1 if handled(first, "CheckSolvable") == count else 0
        self.assertIsNone(first.process.poll(), "it waits out its --drain-delay")

    def test_who_hedges_does_not_wait_for_a_replica_that_hangs(self):
        """Uses Node's client, since Python's does not hedge."""
        servers = [self.server(), self.server()]
        client = self.client(servers[0])
        check = client.message("CheckSolvableRequest", board=client.board([1, 2, 3, 0]))
        runs = {
            name: self.node(servers, DEPLOY / "client" / name, check)
            for name in ("service-config.json", "service-config-hedging.json")
        }
        for run in runs.values():
            # Until it has a connection to the replica that is going to hang.
            give_up = time.monotonic() + 10
            before = handled(servers[0], "CheckSolvable")
            while handled(servers[0], "CheckSolvable") == before:
                self.assertLess(time.monotonic(), give_up)
                self.assertEqual(self.codes(run), {"OK": CALLS})
        servers[0].process.send_signal(signal.SIGSTOP)
        self.addCleanup(servers[0].process.send_signal, signal.SIGCONT)
        hedging, plain = runs["service-config-hedging.json"], runs["service-config.json"]
        self.assertEqual(self.codes(hedging), {"OK": CALLS})
        self.assertIn("DEADLINE_EXCEEDED", self.codes(plain), "it does hang")

    def codes(self, run):
        """The codes of CALLS calls."""
        print(file=run.stdin, flush=True)
        return json.loads(run.stdout.readline())

    def node(self, servers, config, request):
        target = "ipv4:" + ",".join(server.address for server in servers)
        text = base64.b64encode(request.SerializeToString()).decode()
        run = subprocess.Popen(
            ["node", HERE / "hedging.mjs", target, config, str(CALLS), "CheckSolvable", text],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

        def stop():
            run.kill()
            run.communicate()

        self.addCleanup(stop)
        return run
