"""deploy/prometheus and deploy/grafana: a real Prometheus gets everything they query from the real
binary."""

import json
import os
import re
import subprocess
import unittest

import grpc
import yaml
from case import Case
from prometheus import FILES, Prometheus

ROOT = FILES.parents[1]
RULES = sorted((FILES / "rules").glob("*.yaml"))
DASHBOARD = json.loads((ROOT / "deploy/grafana/loyd.json").read_text())

# Metrics that only a server with TLS has, or one built with `otlp`.
ELSEWHERE = {"loyd_certificate_expires_timestamp_seconds", "loyd_reload_failed", "loyd_spans_total"}

# What Grafana would substitute.
VARIABLES = {"$namespace": ".*", "$job": "loyd", "$instance": ".*", "$__rate_interval": "1m", "$__range": "1h"}


def rules(kind):
    """Every rule of this kind: `record` or `alert`."""
    for path in RULES:
        for group in yaml.safe_load(path.read_text())["groups"]:
            yield from (rule for rule in group["rules"] if kind in rule)


def panels():
    return [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]


def expressions():
    """The query of each panel."""
    for panel in panels():
        for target in panel["targets"]:
            expression = target["expr"]
            for name, value in VARIABLES.items():
                expression = expression.replace(name, value)
            yield panel["title"], expression


def promtool(*arguments):
    done = subprocess.run([os.environ["PROMTOOL"], *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


class Files(unittest.TestCase):
    """Checks that need no running program."""

    def test_rules_do_what_their_tests_say(self):
        promtool("check", "rules", *RULES)
        promtool("check", "config", FILES / "prometheus.yaml")
        promtool("test", "rules", *sorted((FILES / "tests").glob("*.yaml")))

    def test_every_alert_has_been_seen_to_fire(self):
        tests = "".join(path.read_text() for path in (FILES / "tests").glob("*.yaml"))
        for rule in rules("alert"):
            self.assertIn(f'alertname="{rule["alert"]}"', tests)

    def test_every_alert_says_how_bad_what_and_what_to_do(self):
        book = (ROOT / "docs/operations.md").read_text()
        anchors = {
            re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-")
            for heading in re.findall(r"^#+ (.*)$", book, re.MULTILINE)
        }
        for rule in rules("alert"):
            self.assertIn(rule["labels"]["severity"], {"page", "ticket"})
            said = rule["annotations"]
            self.assertTrue(said["summary"] and said["description"])
            page, anchor = said["runbook_url"].split("#")
            # It may have an address before it.
            self.assertTrue(page.endswith("docs/operations.md"), page)
            self.assertIn(anchor, anchors, rule["alert"])

    def test_the_dashboard_counts_only_loyds_targets(self):
        # "All" jobs must mean those that have loyd's metrics: `up` has the targets of everybody.
        (job,) = (each for each in DASHBOARD["templating"]["list"] if each["name"] == "job")
        self.assertIn("loyd_build_info", job["definition"])
        self.assertNotIn("allValue", job)

    def test_the_dashboards_panels_stand_side_by_side(self):
        taken = {}
        for panel in DASHBOARD["panels"]:
            at = panel["gridPos"]
            self.assertLessEqual(at["x"] + at["w"], 24, panel["title"])
            for x in range(at["x"], at["x"] + at["w"]):
                for y in range(at["y"], at["y"] + at["h"]):
                    self.assertNotIn((x, y), taken, panel["title"])
                    taken[x, y] = panel["title"]
        ids = [panel["id"] for panel in DASHBOARD["panels"]]
        self.assertEqual(len(ids), len(set(ids)))


class Watched(Case):
    """One server that gets some of every call while a Prometheus watches it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.prometheus = cls.enterClassContext(Prometheus(f"127.0.0.1:{cls.server.metrics_port}"))
        cls.ask()
        cls.prometheus.wait_for('job_method_code:loyd_requests_handled:rate5m{method="CheckSolvable"}')
        # A rate needs two scrapes; this is for the second.
        cls.ask()
        cls.prometheus.wait_for('rate(loyd_request_seconds_count{method="Solve"}[1m]) > 0')
        cls.prometheus.wait_for("job:loyd_cache_hits:ratio5m >= 0")
        cls.prometheus.wait_for("job:loyd_failed_calls:ratio6h >= 0")

    @classmethod
    def ask(cls):
        client = cls.client
        client.CheckSolvable(client.message("CheckSolvableRequest", board=client.boards(3)[0]))
        limits = client.message("Limits")
        limits.max_time.FromMilliseconds(200)
        for side in (3, 4, 5):
            for objective in ("BEST", "FAST"):
                board = client.boards(side)[0]
                client.Solve(client.solve_request(board, objective, limits=limits))
        list(client.SolveStream(client.stream_request(client.boards(6)[0], "FAST")))
        method = client.message(
            "Method",
            algorithm=client.value("Algorithm", "ALGORITHM_A_STAR"),
            heuristic=client.value("Heuristic", "HEURISTIC_WALKING_DISTANCE"),
        )
        client.Solve(client.solve_request(client.boards(3)[0], "OPTIMAL", method=method))
        try:
            client.Solve(client.solve_request([1, 2, 3, 0, 0]))
        except grpc.RpcError:
            pass

    def test_every_panel_shows_something(self):
        for title, expression in expressions():
            if not any(name in expression for name in ELSEWHERE):
                with self.subTest(panel=title):
                    self.prometheus.wait_for(expression)

    def test_every_rule_is_worked_out(self):
        for group in self.prometheus.get("rules")["groups"]:
            for rule in group["rules"]:
                self.assertEqual(rule["health"], "ok", rule)
        for rule in rules("record"):
            self.prometheus.wait_for(rule["record"])

    def test_every_metric_that_is_named_exists(self):
        asked = [expression for _, expression in expressions()]
        asked += [rule["expr"] for kind in ("record", "alert") for rule in rules(kind)]
        named = set(re.findall(r"(?<![\w:])loyd_\w+(?![\w:])", "\n".join(asked)))
        self.assertGreater(len(named), 20)
        self.assertLessEqual(named - ELSEWHERE, set(self.prometheus.get("label/__name__/values")))
        # A Rust test keeps the README's table equal to the source.
        listed = (ROOT / "README.md").read_text()
        for name in ELSEWHERE:
            self.assertIn(f"\n| `{name}` |", listed)

    def test_no_alert_is_raised_by_this(self):
        self.assertEqual(self.prometheus.query('ALERTS{alertstate="firing"}'), [])
