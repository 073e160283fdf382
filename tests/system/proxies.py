"""The balancers of deploy/, run from their files with only addresses and folders changed."""

import os
import pathlib
import random
import re
import socket
import subprocess
import tempfile
import time
import urllib.request

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from waiting import START_TIMEOUT, wait_until

DEPLOY = pathlib.Path(__file__).parents[2] / "deploy"


# Outside the range from which the kernel may give ports to other connections.
_fixed_ports = iter(random.sample(range(20_000, 32_000), 12_000))


def fixed_port():
    """A port for something that is to be started more than once; never the same twice, as some time
    passes before it is bound."""
    for port in _fixed_ports:
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("no port is free")


class Proxy:
    """One balancer before two replicas; a context manager."""

    # The file in deploy/, and the variable that names the program.
    file = program = None
    # What its metrics say when it has found both replicas healthy.
    healthy = ()

    def __init__(self, replicas, tls=None):
        """`tls` is the folder of its certificate, for replicas that require one."""
        self.folder = tempfile.TemporaryDirectory(prefix="loyd-proxy-")
        self.port, self.metrics_port = fixed_port(), fixed_port()
        self.address = f"127.0.0.1:{self.port}"
        text = (DEPLOY / self.file).read_text()
        for old, new in self.replacements(*replicas):
            assert old in text, f"{old!r} in {self.file}"
            text = text.replace(old, new)
        if tls is not None:
            # What docs/security.md says to do.
            text = re.sub(r"^.*#plain\n", "", text, flags=re.MULTILINE).replace("#TLS ", "")
            text = text.replace("/etc/balancer/tls", str(tls))
        self.config = pathlib.Path(self.folder.name) / pathlib.Path(self.file).name
        self.config.write_text(text)
        self.process = None

    def replacements(self, first, second):
        """Pairs of a text in the file and what to replace it with."""
        raise NotImplementedError

    def check_command(self):
        raise NotImplementedError

    def command(self):
        raise NotImplementedError

    def metrics_path(self):
        return "/metrics"

    def binary(self):
        return os.environ[self.program]

    def check(self):
        """What the program itself says about the configuration, and whether it accepts it."""
        done = subprocess.run(
            self.check_command(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
        )
        return done.returncode, done.stdout

    def start(self):
        log = open(pathlib.Path(self.folder.name) / "log", "w")
        with log:
            self.process = subprocess.Popen(self.command(), stdout=log, stderr=log)
        give_up = time.monotonic() + START_TIMEOUT
        while not self.listens():
            if self.process.poll() is not None or time.monotonic() > give_up:
                raise AssertionError(f"{self.file} does not start: {self.log()}")
            time.sleep(0.05)
        return self

    def wait_for_replicas(self):
        """Waits until it sends calls to both."""

        def are_found():
            return all(sample in self.metrics() for sample in self.healthy) and self.serves()

        wait_until(are_found, f"{self.file} does not find the replicas", self.log)

    def serves(self):
        with grpc.insecure_channel(self.address) as channel:
            health = health_pb2_grpc.HealthStub(channel)
            try:
                health.Check(health_pb2.HealthCheckRequest(), timeout=5)
            except grpc.RpcError:
                return False
            return True

    def listens(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        except OSError:
            return False
        return True

    def metrics(self):
        url = f"http://127.0.0.1:{self.metrics_port}{self.metrics_path()}"
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.read().decode()

    def log(self):
        return (pathlib.Path(self.folder.name) / "log").read_text()

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.folder.cleanup()


class Envoy(Proxy):
    file, program = "envoy/envoy.yaml", "ENVOY_BINARY"
    healthy = ('envoy_cluster_membership_healthy{envoy_cluster_name="loyd"} 2',)

    def replacements(self, first, second):
        return [
            *(
                (f"address: loyd-{n}, port_value: 50051", f"address: 127.0.0.1, port_value: {port}")
                for n, port in ((1, first), (2, second))
            ),
            (
                "address: 0.0.0.0, port_value: 50051",
                f"address: 127.0.0.1, port_value: {self.port}",
            ),
            (
                "address: 0.0.0.0, port_value: 9902",
                f"address: 127.0.0.1, port_value: {self.metrics_port}",
            ),
            ("port_value: 9901", f"port_value: {fixed_port()}"),
        ]

    def check_command(self):
        return [self.binary(), "--mode", "validate", "-c", self.config]

    def command(self):
        return [self.binary(), "-c", self.config, "--use-dynamic-base-id", "--concurrency", "2"]


class Nginx(Proxy):
    file, program = "nginx/nginx.conf", "NGINX_BINARY"
    # nginx does no health checks.
    healthy = ("Active connections: ",)

    def replacements(self, first, second):
        return [
            ("loyd-1:50051", f"127.0.0.1:{first}"),
            ("loyd-2:50051", f"127.0.0.1:{second}"),
            ("listen 50051", f"listen 127.0.0.1:{self.port}"),
            ("listen 8081", f"listen 127.0.0.1:{self.metrics_port}"),
            ("/tmp/", f"{self.folder.name}/"),
        ]

    def check_command(self):
        return [*self.command(), "-t"]

    def command(self):
        return [self.binary(), "-p", self.folder.name, "-e", "stderr", "-c", self.config]

    def metrics_path(self):
        return "/status"


class HAProxy(Proxy):
    file, program = "haproxy/haproxy.cfg", "HAPROXY_BINARY"
    healthy = tuple(
        f'haproxy_server_check_status{{proxy="loyd",server="loyd-{n}",state="L7OK"}} 1'
        for n in (1, 2)
    )

    def replacements(self, first, second):
        return [
            ("loyd-1:50051", f"127.0.0.1:{first}"),
            ("loyd-2:50051", f"127.0.0.1:{second}"),
            ("0.0.0.0:50051", f"127.0.0.1:{self.port}"),
            ("0.0.0.0:8405", f"127.0.0.1:{self.metrics_port}"),
        ]

    def check_command(self):
        return [*self.command(), "-c"]

    def command(self):
        return [self.binary(), "-f", self.config]


ALL = (Envoy, Nginx, HAProxy)
