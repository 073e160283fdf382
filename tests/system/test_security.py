"""TLS, tokens and what is exposed, as operators set them up and as other clients see them."""

import functools
import http.client
import os
import pathlib
import socket
import subprocess
import tempfile
import time
import unittest

import grpc
import trustme
import waiting
from case import Case
from client import Client
from server import BINARY, Server

Code = grpc.StatusCode

PATIENCE = 30

wait_until = functools.partial(waiting.wait_until, timeout=PATIENCE)


def loyd(*arguments, **variables):
    return subprocess.run(
        [BINARY, *arguments],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


def make_token(name, *flags):
    """A token, and the line by which a server knows it."""
    printed = loyd("token", name, *flags).stdout.splitlines()
    return printed[0].removeprefix("token:").strip(), printed[1].removeprefix("line:").strip()


class Secured(Case):
    """A server with everything on: TLS, client certificates, tokens."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="loyd-security-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.authority = trustme.CA()
        cls.authority.cert_pem.write_to_path(cls.path("authority.pem"))
        cls.write_server(cls.authority)
        client = cls.authority.issue_cert("lobby.game")
        client.private_key_pem.write_to_path(cls.path("client.key"))
        (cls.folder / "client.crt").write_bytes(client.cert_chain_pems[0].bytes())
        cls.token, line = make_token("lobby", "--weight", "3")
        (cls.folder / "tokens").write_text(f"# who may call\n{line}\n")
        cls.server = Server(
            f"--tls-cert={cls.path('server.crt')}",
            f"--tls-key={cls.path('server.key')}",
            f"--tls-client-ca={cls.path('authority.pem')}",
            f"--token-file={cls.path('tokens')}",
            "--handshake-timeout=2s",
            "--table-memory=4M",
        )
        cls.addClassCleanup(cls.server.stop)

    @classmethod
    def path(cls, name):
        return str(cls.folder / name)

    @classmethod
    def write_server(cls, authority):
        server = authority.issue_cert("127.0.0.1")
        server.private_key_pem.write_to_path(cls.path("server.key"))
        (cls.folder / "server.crt").write_bytes(server.cert_chain_pems[0].bytes())

    def credentials(self, token=None, certificate=True):
        pair = [(self.folder / name).read_bytes() for name in ("client.key", "client.crt")]
        trusted = (self.folder / "authority.pem").read_bytes()
        tls = grpc.ssl_channel_credentials(trusted, *(pair if certificate else ()))
        if token is None:
            return tls
        return grpc.composite_channel_credentials(tls, grpc.access_token_call_credentials(token))

    def ask(self, *arguments, **variables):
        return loyd("check", "1 2 3 0", "--server", f"https://{self.server.address}", *arguments, **variables)

    def metric(self, name):
        return self.server.metrics()[name]

    def test_a_client_with_all_it_needs_is_served(self):
        with Client(self.server.address, credentials=self.credentials(self.token)) as client:
            self.assertEqual(len(client.boards(3)), 1)
        wait_until(
            lambda: any(line.get("client") == "lobby.game" for line in self.server.lines),
            "the log names the client",
        )

    def test_without_a_certificate_there_is_no_connection(self):
        name = 'loyd_tls_handshakes_failed_total{reason="no_certificate"}'
        before = self.metric(name)
        credentials = self.credentials(self.token, certificate=False)
        with grpc.secure_channel(self.server.address, credentials) as channel:
            refusal = self.refusal(channel.unary_unary("/loyd.v1.PuzzleService/Solve"), b"", timeout=5)
        self.assertEqual(refusal.code, Code.UNAVAILABLE)
        wait_until(lambda: self.metric(name) > before, "it is counted")

    def test_without_a_token_only_health_is_told(self):
        with grpc.secure_channel(self.server.address, self.credentials()) as channel:
            health = channel.unary_unary("/grpc.health.v1.Health/Check")
            self.assertEqual(health(b"", timeout=PATIENCE), b"\x08\x01")
            call = channel.unary_unary("/loyd.v1.PuzzleService/Solve")
            self.assert_refused(Code.UNAUTHENTICATED, "TOKEN_MISSING", call, b"", timeout=PATIENCE)
        with grpc.secure_channel(self.server.address, self.credentials("loyd_guess")) as channel:
            call = channel.unary_unary("/loyd.v1.PuzzleService/Solve")
            self.assert_refused(Code.UNAUTHENTICATED, "TOKEN_WRONG", call, b"", timeout=PATIENCE)
        self.assertGreater(self.metric('loyd_unauthenticated_total{reason="missing"}'), 0)
        self.assertGreater(self.metric('loyd_unauthenticated_total{reason="wrong"}'), 0)

    def test_the_command_line_speaks_tls(self):
        trust = ["--tls-ca", self.path("authority.pem")]
        own = ["--tls-cert", self.path("client.crt"), "--tls-key", self.path("client.key")]
        done = self.ask(*trust, *own, LOYD_TOKEN=self.token)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        (self.folder / "token").write_text(self.token + "\n")
        done = self.ask(*trust, *own, "--token-from", self.path("token"))
        self.assertEqual(done.returncode, 0, done.stderr)
        # Not trusted; not known, which TLS 1.3 reports only once the call is in progress; not let in.
        self.assertEqual(self.ask(*own, LOYD_TOKEN=self.token).returncode, 4)
        self.assertNotEqual(self.ask(*trust, LOYD_TOKEN=self.token).returncode, 0)
        refused = self.ask(*trust, *own)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("token", refused.stderr)

    def test_a_probe_needs_a_certificate_and_no_token(self):
        def health(url, *arguments):
            return loyd("health", "--timeout=10s", "--server", url, *arguments)

        url = f"https://{self.server.address}"
        trust = ["--tls-ca", self.path("authority.pem")]
        own = ["--tls-cert", self.path("client.crt"), "--tls-key", self.path("client.key")]
        done = health(url, *trust, *own)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "SERVING\n", ""))
        # Not known; not trusted; no TLS at all.
        for refused in (health(url, *trust), health(url, *own), health(f"http://{self.server.address}")):
            self.assertEqual((refused.returncode, refused.stdout), (4, ""))
            self.assertIn(self.server.address, refused.stderr)

    def test_slow_handshakes_are_closed_and_counted(self):
        name = 'loyd_tls_handshakes_failed_total{reason="timeout"}'
        before = self.metric(name)
        host, port = self.server.address.rsplit(":", 1)
        slow = [socket.create_connection((host, int(port)), timeout=PATIENCE) for _ in range(100)]
        for connection in slow:
            connection.sendall(b"\x16\x03\x01\x02\x00\x01")
        with Client(self.server.address, credentials=self.credentials(self.token)) as client:
            self.assertEqual(len(client.boards(3)), 1)
        for connection in slow:
            self.assertEqual(connection.recv(1), b"", "it is closed")
            connection.close()
        wait_until(lambda: self.metric(name) == before + 100, "all are counted")

    def test_files_that_change_are_read_again(self):
        expires = "loyd_certificate_expires_timestamp_seconds"
        self.assertGreater(self.metric(expires), time.time())
        failed = 'loyd_reload_failed{what="certificates"}'
        loads = 'loyd_reloads_total{what="certificates"}'
        good = (self.folder / "server.crt").read_bytes()
        before = self.metric(loads)
        (self.folder / "server.crt").write_bytes(b"broken")
        wait_until(lambda: self.metric(failed) == 1, "a metric says that it is broken")
        with Client(self.server.address, credentials=self.credentials(self.token)) as client:
            self.assertEqual(len(client.boards(3)), 1)
        (self.folder / "server.crt").write_bytes(good)
        wait_until(lambda: self.metric(failed) == 0, "and that it is whole again")
        self.assertGreater(self.metric(loads), before)
        # A client that is added, and one that is removed.
        token, line = make_token("arena")
        tokens = self.folder / "tokens"
        old = tokens.read_text()
        tokens.write_text(old + line + "\n")
        try:
            with grpc.secure_channel(self.server.address, self.credentials(token)) as channel:
                call = channel.unary_unary("/loyd.v1.PuzzleService/Solve")

                def reason():
                    return self.refusal(call, b"", timeout=PATIENCE).reason

                wait_until(lambda: reason() == "INVALID_REQUEST", "the new client is let in")
                tokens.write_text(old)
                wait_until(lambda: reason() == "TOKEN_WRONG", "and no longer")
        finally:
            tokens.write_text(old)

    def test_no_secret_gets_into_the_log(self):
        with Client(self.server.address, credentials=self.credentials(self.token)) as client:
            client.boards(3)
        text = str(self.server.lines)
        self.assertIn("lobby.game", text)
        for secret in (self.token, "loyd_", "PRIVATE KEY", "Bearer"):
            self.assertNotIn(secret, text)


class Exposed(unittest.TestCase):
    def test_plain_text_is_for_this_machine_alone(self):
        refused = loyd("serve", "--listen=0.0.0.0:0", "--metrics-listen=127.0.0.1:0")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--insecure", refused.stderr)
        self.assertIn("--tls-cert", refused.stderr)
        with Server("--listen=0.0.0.0:0", "--insecure", "--table-memory=4M") as server:
            port = server.address.rsplit(":", 1)[1]
            with Client(f"127.0.0.1:{port}") as client:
                self.assertEqual(len(client.boards(3)), 1)

    def test_metrics_have_a_listener_of_their_own(self):
        with Server("--table-memory=4M") as server:
            self.assertNotEqual(server.metrics_port, 0)

            def get(path, port=server.metrics_port):
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
                connection.request("GET", path)
                return connection.getresponse()

            self.assertEqual(get("/metrics").status, 200)
            self.assertEqual(get("/loyd.v1.PuzzleService/Solve").status, 404)
            grpc_port = int(server.address.rsplit(":", 1)[1])
            with self.assertRaises((http.client.HTTPException, OSError)):
                get("/metrics", grpc_port)
