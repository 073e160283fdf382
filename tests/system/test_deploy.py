"""deploy/kubernetes: valid, consistent, and accepted by the real binary."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

import kubernetes_validate
import yaml
from manifests import DEPLOY, KUBERNETES, Manifests, seconds
from server import BINARY, Server, free_port

OVERLAYS = ("development", "production")

# The oldest release that knows all that is used here, and the newest that the validator knows.
RELEASES = ("1.30", kubernetes_validate.latest_version())

# What the validator has no schema for.
FOREIGN = {"PodMonitor"}


class Kubernetes(unittest.TestCase):
    def overlays(self):
        for overlay in OVERLAYS:
            with self.subTest(overlay):
                yield Manifests(overlay)

    def test_what_is_rendered_is_what_the_sources_make(self):
        subprocess.run([sys.executable, KUBERNETES / "render", "--check"], check=True)

    def test_every_resource_is_valid(self):
        for manifests in self.overlays():
            for resource in manifests.all:
                if resource["kind"] not in FOREIGN:
                    for release in RELEASES:
                        kubernetes_validate.validate(resource, release, strict=True)

    def test_selectors_find_the_pods_and_ports_their_names(self):
        for manifests in self.overlays():
            labels = manifests.one("Deployment")["spec"]["template"]["metadata"]["labels"]
            ports = {port["name"] for port in manifests.container["ports"]}
            selectors = [
                manifests.one("Deployment")["spec"]["selector"]["matchLabels"],
                manifests.one("PodDisruptionBudget")["spec"]["selector"]["matchLabels"],
                manifests.one("NetworkPolicy")["spec"]["podSelector"]["matchLabels"],
                *(service["spec"]["selector"] for service in manifests.of("Service")),
                *(each["spec"]["selector"]["matchLabels"] for each in manifests.of("PodMonitor")),
                *(
                    each["labelSelector"]["matchLabels"]
                    for each in manifests.pod["topologySpreadConstraints"]
                ),
            ]
            for selector in selectors:
                self.assertTrue(selector and selector.items() <= labels.items(), selector)
            wanted = [port["targetPort"] for each in manifests.of("Service") for port in each["spec"]["ports"]]
            for rule in manifests.one("NetworkPolicy")["spec"]["ingress"]:
                wanted += [port["port"] for port in rule["ports"]]
            for monitor in manifests.of("PodMonitor"):
                wanted += [each["port"] for each in monitor["spec"]["podMetricsEndpoints"]]
            self.assertLessEqual(set(wanted), ports)

    def test_what_is_named_exists(self):
        for manifests in self.overlays():
            manifests.one("ServiceAccount", manifests.pod["serviceAccountName"])
            volumes = {volume["name"] for volume in manifests.pod["volumes"]}
            mounts = {mount["name"] for mount in manifests.container["volumeMounts"]}
            self.assertEqual(volumes, mounts)
            paths = [mount["mountPath"] for mount in manifests.container["volumeMounts"]]
            for name, value in manifests.environment().items():
                if value.startswith("/"):
                    self.assertTrue(any(value.startswith(path) for path in paths), (name, value))
            for scaler in manifests.of("HorizontalPodAutoscaler"):
                target = scaler["spec"]["scaleTargetRef"]
                self.assertEqual(target["kind"], "Deployment")
                self.assertNotIn("replicas", manifests.one("Deployment", target["name"])["spec"])

    def test_pods_keep_the_restricted_standard(self):
        for manifests in self.overlays():
            pod, security = manifests.pod, manifests.container["securityContext"]
            self.assertTrue(pod["securityContext"]["runAsNonRoot"])
            self.assertEqual(pod["securityContext"]["seccompProfile"]["type"], "RuntimeDefault")
            self.assertFalse(pod["automountServiceAccountToken"])
            self.assertFalse(security["allowPrivilegeEscalation"])
            self.assertTrue(security["readOnlyRootFilesystem"])
            self.assertEqual(security["capabilities"], {"drop": ["ALL"]})

    def test_the_drain_fits_into_the_grace_period(self):
        for manifests in self.overlays():
            environment = manifests.environment()
            hook = manifests.container["lifecycle"]["preStop"]["sleep"]["seconds"]
            drain = seconds(environment["LOYD_DRAIN_DELAY"]) + seconds(environment["LOYD_DRAIN_GRACE"])
            self.assertLessEqual(hook + drain + 5, manifests.pod["terminationGracePeriodSeconds"])

    def test_workers_have_the_cpus_that_are_reserved(self):
        for manifests in self.overlays():
            resources = manifests.container["resources"]
            self.assertEqual(manifests.environment()["LOYD_WORKERS"], resources["requests"]["cpu"])
            self.assertGreater(int(resources["limits"]["cpu"]), int(resources["requests"]["cpu"]))
            self.assertEqual(resources["limits"]["memory"], resources["requests"]["memory"])

    def test_the_autoscalers_metric_is_recorded(self):
        """Autoscaler → adapter → recording rule."""
        adapter = yaml.safe_load(
            (KUBERNETES / "components/autoscaling/prometheus-adapter.yaml").read_text()
        )
        shown = {rule["name"]["as"]: rule["seriesQuery"] for rule in adapter["rules"]["custom"]}
        recorded = {
            rule["record"]
            for path in (DEPLOY / "prometheus/rules").glob("*.yaml")
            for group in yaml.safe_load(path.read_text())["groups"]
            for rule in group["rules"]
            if "record" in rule
        }
        for metric in Manifests("production").one("HorizontalPodAutoscaler")["spec"]["metrics"]:
            if metric["type"] == "Pods":
                series = shown[metric["pods"]["metric"]["name"]].split("{")[0]
                self.assertIn(series, recorded)

    def test_the_binary_knows_every_variable(self):
        known = subprocess.run(
            [BINARY, "serve", "--help"], capture_output=True, text=True, check=True
        ).stdout
        known = set(re.findall(r"\[env: (LOYD_\w+)", known))
        for manifests in self.overlays():
            self.assertLessEqual(set(manifests.environment()), known)


class Start(unittest.TestCase):
    """The container's command, environment and probes, on this machine's ports and folders."""

    def start(self, overlay):
        manifests = Manifests(overlay)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        port = free_port()
        here = {
            "/var/cache/loyd": folder.name,
            "/etc/loyd/tls": folder.name,
            ":50051": f":{port}",
            ":9464": f":{free_port()}",
            "/usr/local/bin/loyd": str(BINARY),
        }

        def local(text):
            for there, place in here.items():
                text = text.replace(there, place)
            return text

        environment = {name: local(value) for name, value in manifests.environment().items()}
        environment["LOYD_BUILD_MEMORY"] = "8M"
        self.assertEqual(manifests.container["args"], ["serve"])
        return manifests, environment, local, folder.name, port
