"""The Dockerfile: lint, what is in the image, and the image at work."""

import pathlib
import re
import socket
import subprocess
import sys
import time
import unittest

from client import Client
from image import ROOT, Image
from proxies import fixed_port
from server import BINARY

MEGABYTE = 1 << 20

# The project's limits, and what a busy machine may take.
LARGEST = 30 * MEGABYTE
LONGEST_START = 60.0


class Lint(unittest.TestCase):
    def test_hadolint_has_nothing_to_say(self):
        hadolint = pathlib.Path(sys.executable).with_name("hadolint")
        done = subprocess.run([hadolint, ROOT / "Dockerfile"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_both_images_hold_the_bill_of_materials(self):
        stages = re.split(r"^FROM ", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE)
        for name in ("loyd", "loyd-with-tables"):
            (stage,) = (stage for stage in stages if stage.startswith(f"runtime AS {name}\n"))
            self.assertIn("COPY --from=bill /out/loyd.cdx.json /usr/share/doc/loyd/", stage)


class Built(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.image = cls.enterClassContext(Image(BINARY))

    def test_it_holds_the_binary_and_the_licences(self):
        files = self.image.files()
        licences = {f"/usr/share/doc/loyd/{path.name}" for path in ROOT.glob("LICENSE*")}
        self.assertEqual(set(files), {"/usr/local/bin/loyd"} | licences)
        print(f"{sum(files.values()) / MEGABYTE:.1f} MB ", end="", flush=True)
        self.assertLess(sum(files.values()), LARGEST)

    def test_it_says_what_it_is(self):
        labels = self.image.config["Labels"]
        for name in ("title", "description", "licenses", "version", "revision"):
            self.assertTrue(labels[f"org.opencontainers.image.{name}"])
        manifest = (ROOT / "Cargo.toml").read_text()
        version = labels["org.opencontainers.image.version"]
        self.assertIn(f'\nversion = "{version}"\n', manifest)

    def test_it_serves_as_a_stranger_on_a_read_only_root(self):
        config = self.image.config
        port, metrics = fixed_port(), fixed_port()
        environment = {
            "LOYD_LISTEN": f"0.0.0.0:{port}",
            "LOYD_METRICS_LISTEN": f"127.0.0.1:{metrics}",
            "LOYD_BUILD_MEMORY": "4M",
        }
        started = time.monotonic()
        command = self.image.command(config["Entrypoint"] + config["Cmd"], environment)
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        try:
            with self.client(server, f"127.0.0.1:{port}", started) as client:
                first = time.monotonic() - started
                print(f"first answer after {first:.2f} s ", end="", flush=True)
                self.assertEqual(self.user_of(server), 65532)
                board = client.board([1, 2, 3, 4, 5, 6, 0, 7, 8])
                self.assertEqual(client.Solve(client.solve_request(board)).solution.length, 2)

                # The image's own probe, with this port.
                probe = [each.replace(":9464", f":{metrics}") for each in config["Healthcheck"]["Test"][1:]]
                probed = subprocess.run(self.image.command(probe, {}), capture_output=True, text=True)
                self.assertEqual((probed.returncode, probed.stdout), (0, "SERVING\n"), probed.stderr)
            server.terminate()
            self.assertEqual(server.wait(15), 0)
            said = server.stderr.read()
            self.assertNotIn("ERROR", said)
            self.assertNotIn("not_saved", said)
        finally:
            server.kill()
            server.wait()
            server.stderr.close()

    def client(self, server, address, started):
        """A client, as soon as the server answers."""
        host, port = address.split(":")
        while True:
            try:
                socket.create_connection((host, int(port))).close()
                return Client(address)
            except OSError:
                self.assertIsNone(server.poll(), "it has ended")
                self.assertLess(time.monotonic() - started, LONGEST_START)
                time.sleep(0.01)

    def user_of(self, server):
        status = pathlib.Path(f"/proc/{server.pid}/status").read_text()
        (line,) = [line for line in status.splitlines() if line.startswith("Uid:")]
        return int(line.split()[1])
