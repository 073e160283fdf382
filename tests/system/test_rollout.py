"""Two replicas are replaced one after the other, under load: no call fails, whatever is in front of
them."""

import json
import time
import unittest

from case import FULL
from client import Client
from load import Load, failed
from proxies import ALL, DEPLOY, fixed_port
from server import Server

# Calls a second. In CI all balancers run at once on whatever machine there is, otherwise one after
# the other.
RATE = 2_000 if FULL else 60
ROUNDS = 3 if FULL else 1

# What docs/rollout.md recommends. The first lasts until the balancers have seen that a replica
# drains, the last until they have found the new one. More generous at 2,000 calls a second.
DRAIN_DELAY = 5 if FULL else 3
DRAIN_GRACE = 10
READY = 3 if FULL else 2
# The most that one replica's turn takes, with the kill and the start.
END_TIMEOUT = DRAIN_DELAY + DRAIN_GRACE + 5

SERVICE_CONFIG = json.loads((DEPLOY / "client/service-config.json").read_text())
# Through a balancer, watching the health of a replica is not the client's job.
RETRIES = {key: value for key, value in SERVICE_CONFIG.items() if key != "healthCheckConfig"}


class Replicas:
    """Two servers on fixed ports, each of which can be replaced."""

    def __init__(self, case, *flags):
        self.case = case
        self.flags = flags
        self.ports = [fixed_port(), fixed_port()]
        self.servers = [self.start(number) for number in range(2)]
        case.addCleanup(lambda: [server.stop() for server in self.servers])

    def start(self, number):
        return Server(
            *self.flags, "--log=warn,loyd::cli=info", listen=f"127.0.0.1:{self.ports[number]}"
        )

    def addresses(self):
        return "ipv4:" + ",".join(f"127.0.0.1:{port}" for port in self.ports)

    def roll(self, number):
        """SIGTERM, the end that Kubernetes would see, and a replacement."""
        old = self.servers[number]
        old.terminate()
        self.case.assertEqual(old.process.wait(END_TIMEOUT), 0)
        self.case.assertEqual(old.errors(), [])
        old.stop()
        self.servers[number] = self.start(number)

    def kill(self, number):
        old = self.servers[number]
        old.process.kill()
        old.stop()

    def revive(self, number):
        self.servers[number] = self.start(number)


def requests(client):
    """What a game asks: mostly whether boards are solvable, also small boards, and now and then a
    15-puzzle."""
    small = client.boards(3, count=200, seed=1)
    near = client.message("Difficulty", min_moves=20, max_moves=30)
    medium = client.Generate(
        client.message("GenerateRequest", rows=4, count=50, seed=2, difficulty=near)
    ).boards
    mix = []
    for number, board in enumerate(small):
        check = client.message("CheckSolvableRequest", board=board)
        mix += [("CheckSolvable", check)] * 3
        mix.append(("Solve", client.solve_request(board, "OPTIMAL")))
        if number < len(medium):
            mix.append(("Solve", client.solve_request(medium[number].board, "OPTIMAL")))
    return mix


def streams(client):
    """A few streams that are always in progress: each takes its half second."""
    limits = client.message("Limits")
    limits.max_time.FromMilliseconds(500)
    return [
        client.stream_request(board, solve={"limits": limits})
        for board in client.boards(5, count=2, seed=3)
    ]


class Front:
    """What stands before the replicas, or the clients themselves with a policy."""

    def __init__(self, name, address, service_config=None):
        self.name, self.address, self.service_config = name, address, service_config

    def load(self, case, rate, mix, streams):
        load = Load(self.address, mix, rate, streams, service_config=self.service_config)
        case.addCleanup(load.stop)
        return load


class Rollout(unittest.TestCase):
    def setUp(self):
        self.replicas = Replicas(
            self, f"--drain-delay={DRAIN_DELAY}s", f"--drain-grace={DRAIN_GRACE}s"
        )
        with Client(self.replicas.servers[0].address) as client:
            self.mix, self.streams = requests(client), streams(client)
        proxies = [self.started(kind) for kind in ALL]
        for proxy in proxies:
            proxy.wait_for_replicas()
        self.fronts = [Front(type(proxy).__name__, proxy.address) for proxy in proxies]
        # No balancer: the clients know both replicas, and retry by themselves.
        self.fronts.append(Front("client", self.replicas.addresses(), SERVICE_CONFIG))

    def started(self, kind):
        proxy = kind(self.replicas.ports)
        self.addCleanup(proxy.stop)
        return proxy.start()

    def under_load(self, disturb):
        """The tallies of all fronts, while `disturb` does its worst."""
        turns = [[front] for front in self.fronts] if FULL else [self.fronts]
        tallies = {}
        for fronts in turns:
            loads = {
                front.name: front.load(self, RATE, self.mix, self.streams) for front in fronts
            }
            time.sleep(1)
            disturb()
            time.sleep(1)
            for name, load in loads.items():
                tallies[name] = load.end()
                print(f"\n    {name}: {tallies[name]} ", end="", flush=True)
        return tallies

    def test_no_call_fails_while_replicas_are_replaced(self):
        def rounds():
            for _ in range(ROUNDS):
                for number in range(2):
                    self.replicas.roll(number)
                    # As a Deployment with minReadySeconds: the balancers find the new replica
                    # before the next is replaced.
                    time.sleep(READY)

        for name, tally in self.under_load(rounds).items():
            with self.subTest(front=name):
                self.assertEqual(failed(tally.unary), 0, tally.failures)
                self.assertEqual(failed(tally.streams), 0, tally.failures)
                self.assertGreater(tally.unary["OK"], 100)
                self.assertGreater(tally.streams["OK"], 10)

    def test_a_replica_is_killed(self):
        """Calls in progress on it are retried elsewhere; streams that have begun cannot be."""

        def kill():
            self.replicas.kill(0)
            time.sleep(READY)
            self.replicas.revive(0)
            time.sleep(READY)

        # nginx repeats nothing that it has sent; that is left to the clients.
        for front in self.fronts:
            if front.name == "Nginx":
                front.service_config = RETRIES
        for name, tally in self.under_load(kill).items():
            with self.subTest(front=name):
                self.assertEqual(failed(tally.unary), 0, tally.failures)
                self.assertGreater(tally.unary["OK"], 100)
                # Cut in the middle, which each balancer reports in its own way.
                cut = set(tally.streams) - {"OK"}
                self.assertLessEqual(cut, {"UNAVAILABLE", "INTERNAL", "UNKNOWN"}, tally.failures)
                self.assertLessEqual(failed(tally.streams), len(self.streams))
