"""deploy/compose at work: two loyds behind Envoy, watched by Prometheus, using the files as they are."""

import time
import unittest
import urllib.request

import yaml
from client import Client
from compose import Compose
from load import Load, failed
from prometheus import FILES, Api
from proxies import Envoy
from test_rollout import requests
from waiting import START_TIMEOUT, wait_until

# Calls a second.
RATE = 60

REPLICAS = ("loyd-1", "loyd-2")


class Composed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.compose = cls.enterClassContext(Compose())
        cls.prometheus = Api(cls.compose["prometheus"].published, cls.compose.words)
        cls.address = cls.compose["envoy"].published
        cls.wait_for_replicas()
        cls.client = cls.enterClassContext(Client(cls.address))

    @classmethod
    def wait_for_replicas(cls):
        """Waits until Envoy sends calls to both."""
        metrics = f"http://{cls.compose['envoy'].address}:9902/metrics"

        def are_found():
            with urllib.request.urlopen(metrics, timeout=5) as answer:
                said = answer.read().decode()
            return all(sample in said for sample in Envoy.healthy)

        wait_until(are_found, "Envoy does not find the replicas", cls.compose.words)

    def tearDown(self):
        for name in REPLICAS:
            self.assertNotRegex(self.compose[name].said(), r'"level":"(WARN|ERROR)"|panicked')
        self.assertNotRegex(self.compose["envoy"].said(), r"\[(warning|error|critical)\]")

    def test_both_replicas_are_asked(self):
        def are_asked():
            for method, request in requests(self.client)[:100]:
                getattr(self.client, method)(request)
            answered = (
                f'count(loyd_requests_handled_total{{method="{method}",code="OK"}} > 0) == 2'
                for method in ("Solve", "CheckSolvable")
            )
            return all(map(self.prometheus.query, answered))

        # Envoy's threads can take a moment to hear of a replica that is already counted.
        wait_until(are_asked, "one replica answers no calls", self.compose.words, pause=0.5)

    def test_prometheus_finds_everybody(self):
        self.prometheus.wait_for("count(up == 1) == 3")
        targets = self.prometheus.get("targets")["activeTargets"]
        found = {target["labels"]["instance"] for target in targets}
        self.assertEqual(found, {*(f"{name}:9464" for name in REPLICAS), "envoy:9902"})

    def test_envoy_says_how_many_replicas_it_finds(self):
        for count in ("healthy", "total"):
            self.prometheus.wait_for(f'envoy_cluster_membership_{count}{{envoy_cluster_name="loyd"}} == 2')

    def test_prometheus_works_out_every_rule(self):
        files = [yaml.safe_load(path.read_text()) for path in (FILES / "rules").glob("*.yaml")]
        written = {group["name"]: len(group["rules"]) for file in files for group in file["groups"]}
        give_up = time.monotonic() + START_TIMEOUT
        while True:
            groups = self.prometheus.get("rules")["groups"]
            health = {group["name"]: [rule["health"] for rule in group["rules"]] for group in groups}
            if "unknown" not in sum(health.values(), []) or time.monotonic() > give_up:
                break
            time.sleep(0.5)
        self.assertEqual(health, {name: ["ok"] * count for name, count in written.items()})

    def test_no_call_fails_when_a_replica_is_stopped(self):
        load = Load(self.address, requests(self.client), RATE)
        self.addCleanup(load.stop)
        time.sleep(2)
        self.assertEqual(self.compose["loyd-1"].stop(), 0)
        time.sleep(1)
        tally = load.end()
        print(tally, end=" ", flush=True)
        self.assertEqual(failed(tally.unary), 0, tally.failures)
        self.assertGreater(tally.unary["OK"], 300)
        # It comes back.
        self.compose["loyd-1"].start()
        self.wait_for_replicas()
