"""deploy/kubernetes: valid, consistent, and accepted by the real binary."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request

import grpc
import kubernetes_validate
import yaml
from grpc_health.v1 import health_pb2, health_pb2_grpc
from manifests import DEPLOY, KUBERNETES, Manifests, seconds
from proxies import fixed_port
from server import BINARY
from waiting import wait_until

OVERLAYS = ("development", "production")

# The oldest release that supports everything used here, and the newest that the validator knows.
RELEASES = ("1.30", kubernetes_validate.latest_version())

PROBES = ("startupProbe", "readinessProbe", "livenessProbe")

# The kinds for which the validator has no schema.
FOREIGN = {"PodMonitor", "PrometheusRule"}


def certificates(folder):
    """The content of the secret loyd-tls: an authority's certificate, and a certificate that it issued for
    this pod."""
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc", "-days", "2"]
    new = ["openssl", "req", "-x509", *curve]
    steps = [
        [*new, "-subj", "/CN=authority", "-keyout", "ca.key", "-out", "ca.crt"],
        [*new, "-subj", "/CN=loyd", "-keyout", "tls.key", "-out", "tls.crt", "-CA", "ca.crt", "-CAkey", "ca.key"]
        + ["-addext", "subjectAltName=DNS:loyd.loyd.svc,IP:127.0.0.1"]
        + ["-addext", "extendedKeyUsage=serverAuth,clientAuth"]
        + ["-addext", "basicConstraints=critical,CA:false"],
    ]
    for step in steps:
        subprocess.run(step, cwd=folder, check=True, capture_output=True)


class Kubernetes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.overlays = [Manifests(overlay) for overlay in OVERLAYS]

    def test_what_is_rendered_is_what_the_sources_make(self):
        subprocess.run([sys.executable, KUBERNETES / "render", "--check"], check=True)

    def test_every_resource_is_valid(self):
        for manifests in self.overlays:
            for resource in manifests.all:
                if resource["kind"] not in FOREIGN:
                    for release in RELEASES:
                        kubernetes_validate.validate(resource, release, strict=True)

    def test_selectors_find_the_pods_and_ports_their_names(self):
        for manifests in self.overlays:
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

    def test_clients_are_let_in_by_their_labels(self):
        for manifests in self.overlays:
            rules = manifests.one("NetworkPolicy")["spec"]["ingress"]
            (calls,) = (rule for rule in rules if rule["ports"] == [{"port": "grpc"}])
            labelled = {"key": "loyd/client", "operator": "In", "values": ["true"]}
            pods = {"podSelector": {"matchExpressions": [labelled]}}
            elsewhere = {"namespaceSelector": {"matchLabels": {"loyd/clients": "true"}}, **pods}
            self.assertEqual(calls["from"], [pods, elsewhere])

    def test_services_say_what_their_ports_speak(self):
        for manifests in self.overlays:
            is_clear = manifests.environment()["LOYD_INSECURE"] == "true"
            for service in manifests.of("Service"):
                for port in service["spec"]["ports"]:
                    spoken = "kubernetes.io/h2c" if is_clear else None
                    self.assertEqual(port.get("appProtocol"), spoken)

    def test_what_is_named_exists(self):
        for manifests in self.overlays:
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
        for manifests in self.overlays:
            pod, security = manifests.pod, manifests.container["securityContext"]
            self.assertTrue(pod["securityContext"]["runAsNonRoot"])
            self.assertEqual(pod["securityContext"]["seccompProfile"]["type"], "RuntimeDefault")
            self.assertFalse(pod["automountServiceAccountToken"])
            self.assertFalse(security["allowPrivilegeEscalation"])
            self.assertTrue(security["readOnlyRootFilesystem"])
            self.assertEqual(security["capabilities"], {"drop": ["ALL"]})

    def test_the_drain_fits_into_the_grace_period(self):
        for manifests in self.overlays:
            environment = manifests.environment()
            hook = manifests.container["lifecycle"]["preStop"]["sleep"]["seconds"]
            drain = seconds(environment["LOYD_DRAIN_DELAY"]) + seconds(environment["LOYD_DRAIN_GRACE"])
            self.assertLessEqual(hook + drain + 5, manifests.pod["terminationGracePeriodSeconds"])

    def test_workers_have_the_cpus_that_are_reserved(self):
        for manifests in self.overlays:
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

    def test_the_operator_gets_all_rules(self):
        given = [each["spec"]["groups"] for each in Manifests("production").of("PrometheusRule")]
        rules = sorted((DEPLOY / "prometheus/rules").glob("*.yaml"))
        self.assertEqual(given, [yaml.safe_load(path.read_text())["groups"] for path in rules])

    def test_the_binary_knows_every_variable(self):
        known = subprocess.run(
            [BINARY, "serve", "--help"], capture_output=True, text=True, check=True
        ).stdout
        known = set(re.findall(r"\[env: (LOYD_\w+)", known))
        for manifests in self.overlays:
            self.assertLessEqual(set(manifests.environment()), known)


class Start(unittest.TestCase):
    """The container's command, environment and probes, with this machine's ports and folders."""

    def start(self, overlay, drain_delay="100ms"):
        manifests = Manifests(overlay)
        folder = tempfile.TemporaryDirectory(prefix="loyd-pod-")
        self.addCleanup(folder.cleanup)
        certificates(folder.name)
        self.port = fixed_port()
        self.places = {
            "/var/cache/loyd": folder.name,
            "/etc/loyd/tls": folder.name,
            ":50051": f":{self.port}",
            ":9464": f":{fixed_port()}",
            "/usr/local/bin/loyd": str(BINARY),
        }
        environment = {name: self.here(value) for name, value in manifests.environment().items()}
        # What the test has no time for.
        environment |= {"LOYD_BUILD_MEMORY": "4M", "LOYD_DRAIN_DELAY": drain_delay}
        pod = subprocess.Popen(
            [BINARY, *manifests.container["args"]],
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(pod.stderr.close)
        self.addCleanup(pod.wait)
        self.addCleanup(pod.kill)
        for line in pod.stderr:
            if "ready" in line:
                return manifests, pod
        self.fail("it ends before it is ready")

    def here(self, text):
        for there, place in self.places.items():
            text = text.replace(there, place)
        return text

    def assert_drains(self, pod):
        pod.terminate()
        self.assertEqual(pod.wait(15), 0)

    def test_development(self):
        manifests, pod = self.start("development")
        with grpc.insecure_channel(f"127.0.0.1:{self.port}") as channel:
            health = health_pb2_grpc.HealthStub(channel)
            for probe in PROBES:
                service = manifests.container[probe]["grpc"]["service"]
                request = health_pb2.HealthCheckRequest(service=service)
                answer = health.Check(request, timeout=10, wait_for_ready=True)
                self.assertEqual(answer.status, health_pb2.HealthCheckResponse.SERVING, service)
        self.assert_drains(pod)

    def test_production(self):
        manifests, pod = self.start("production", drain_delay="5s")
        wait_until(lambda: self.probed(manifests, "startupProbe") == 200, "it has not started")
        # A bad renewal: a probe that read the secret would now fail, for all pods at once.
        pathlib.Path(self.here("/etc/loyd/tls/tls.key")).write_text("no key")
        failed = 'loyd_reload_failed{what="certificates"} 1'
        wait_until(lambda: failed in self.got(manifests, "/metrics")[1], failed)
        for probe in PROBES:
            self.assertEqual(self.probed(manifests, probe), 200, probe)
        # While it drains it gets no more calls, but must not be killed.
        pod.terminate()
        wait_until(lambda: self.probed(manifests, "readinessProbe") == 503, "it is still ready")
        self.assertIn("loyd_serving 0", self.got(manifests, "/metrics")[1])
        self.assertEqual(self.probed(manifests, "livenessProbe"), 200)
        self.assertEqual(pod.wait(15), 0)

    def probed(self, manifests, name):
        """The status that answers an HTTP probe, which the kubelet runs without any of the pod's files."""
        probe = manifests.container[name]["httpGet"]
        self.assertEqual(probe["port"], "metrics")
        return self.got(manifests, probe["path"])[0]

    def got(self, manifests, path):
        """The status and the text of an answer of the metrics' listener."""
        (port,) = (
            port["containerPort"]
            for port in manifests.container["ports"]
            if port["name"] == "metrics"
        )
        try:
            with urllib.request.urlopen(f"http://{self.here(f'127.0.0.1:{port}')}{path}", timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as answer:
            return answer.code, answer.read().decode()


class Compose(unittest.TestCase):
    def test_it_keeps_the_schema(self):
        command = pathlib.Path(sys.executable).with_name("check-jsonschema")
        file = DEPLOY / "compose/compose.yaml"
        done = subprocess.run(
            [command, "--builtin-schema=vendor.compose-spec", file], capture_output=True, text=True
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_what_it_mounts_and_builds_is_there(self):
        compose = yaml.safe_load((DEPLOY / "compose/compose.yaml").read_text())
        stages = re.findall(r"^FROM .* AS (\S+)$", (DEPLOY.parent / "Dockerfile").read_text(), re.MULTILINE)
        for service in compose["services"].values():
            for volume in service.get("volumes", ()):
                source = volume.split(":")[0]
                if source.startswith("."):
                    self.assertTrue((DEPLOY / "compose" / source).exists(), source)
                else:
                    self.assertIn(source, compose["volumes"])
            if "build" in service:
                self.assertIn(service["build"]["target"], stages)

    def test_replicas_are_named_as_their_proxy_and_prometheus_call_them(self):
        compose = yaml.safe_load((DEPLOY / "compose/compose.yaml").read_text())
        replicas = {name for name in compose["services"] if name.startswith("loyd-")}
        self.assertEqual(len(replicas), 2)
        envoy = (DEPLOY / "envoy/envoy.yaml").read_text()
        prometheus = (DEPLOY / "prometheus/prometheus.yaml").read_text()
        self.assertEqual(set(re.findall(r"address: (loyd-\d+), port_value: 50051", envoy)), replicas)
        self.assertEqual(set(re.findall(r"(loyd-\d+):9464", prometheus)), replicas)

    def test_the_drain_fits_into_the_grace_period(self):
        compose = yaml.safe_load((DEPLOY / "compose/compose.yaml").read_text())
        for name in ("loyd-1", "loyd-2"):
            service = compose["services"][name]
            environment = service["environment"]
            drain = seconds(environment["LOYD_DRAIN_DELAY"]) + seconds(environment["LOYD_DRAIN_GRACE"])
            self.assertLess(drain, seconds(service["stop_grace_period"]))
