"""One loyd process: started on free ports, watched, and always stopped."""

import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import threading
import time

# Nothing is written to the user's folders.
TABLES = tempfile.TemporaryDirectory(prefix="loyd-tables-")
os.environ["LOYD_TABLE_DIR"] = TABLES.name

BINARY = pathlib.Path(os.environ.get("LOYD_BINARY", "target/release/loyd")).absolute()

START_TIMEOUT = 10.0


class Server:
    """`loyd serve` as a context manager."""

    # Only the tests of tables wait for large ones. None: as without the flag.
    def __init__(self, *flags, listen="127.0.0.1:0", prefix=(), build_memory="4M"):
        self.lines = []
        self._new_line = threading.Condition()
        self._scraper = None
        started = time.monotonic()
        self.process = subprocess.Popen(
            [
                *prefix,
                BINARY,
                "serve",
                *(
                    flag
                    for flag in (
                        f"--listen={listen}",
                        "--metrics-listen=127.0.0.1:0",
                        build_memory and f"--build-memory={build_memory}",
                    )
                    if flag and not any(own.startswith(flag.split("=")[0]) for own in flags)
                ),
                "--log-format=json",
                *flags,
            ],
            stderr=subprocess.PIPE,
            text=True,
        )
        threading.Thread(target=self._read, daemon=True).start()
        try:
            ready = self.wait_for_log("ready")
            self.address = ready["grpc"]
            self.metrics_port = int(re.search(r":(\d+)/metrics$", ready["metrics"])[1])
        except Exception:
            self.stop()
            raise
        self.start_seconds = time.monotonic() - started

    def _read(self):
        for text in self.process.stderr:
            try:
                line = json.loads(text)
            except ValueError:
                # Anything that is not a log line (a panic, a usage error) must be noticed.
                line = {"level": "ERROR", "message": text.rstrip()}
            with self._new_line:
                self.lines.append(line)
                self._new_line.notify_all()

    def wait_for_log(self, message, timeout=START_TIMEOUT):
        return self.wait_for_line(lambda line: line.get("message") == message, message, timeout)

    def wait_for_line(self, is_it, what, timeout=START_TIMEOUT):
        """The first log line that matches. Lines are written some milliseconds late."""

        def find():
            return next((line for line in self.lines if is_it(line)), None)

        with self._new_line:
            line = self._new_line.wait_for(find, timeout)
        if line is None:
            raise AssertionError(f"no {what!r} in the log: {self.lines}")
        return line

    def errors(self):
        return [line for line in self.lines if line["level"] == "ERROR"]

    def metrics(self):
        """Every sample of /metrics, by its name with its labels."""
        if self._scraper is None:
            self._scraper = http.client.HTTPConnection("127.0.0.1", self.metrics_port, timeout=5)
        self._scraper.request("GET", "/metrics")
        text = self._scraper.getresponse().read().decode()
        pairs = re.findall(r"^([^#\s]\S*(?:\{[^}]*\})?) (\S+)$", text, re.MULTILINE)
        return {name: float(value) for name, value in pairs}

    def resident_bytes(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) * 1024

    def peak_bytes(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)

    def stop(self):
        if self._scraper is not None:
            self._scraper.close()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stderr.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
