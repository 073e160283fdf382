"""A real Prometheus with the configuration and rules of deploy/prometheus, with shorter intervals."""

import json
import os
import pathlib
import subprocess
import tempfile
import urllib.parse
import urllib.request

import yaml
from proxies import fixed_port
from waiting import START_TIMEOUT, wait_until

FILES = pathlib.Path(__file__).resolve().parents[2] / "deploy" / "prometheus"


class Api:
    """Queries to a Prometheus, whoever has started it."""

    def __init__(self, address, words):
        # `words()` returns the output of those who may know why something is not found.
        self.address, self.words = address, words

    def get(self, path, **parameters):
        url = f"http://{self.address}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        with urllib.request.urlopen(url, timeout=10) as answer:
            return json.load(answer)["data"]

    def query(self, expression):
        return self.get("query", query=expression)["result"]

    def wait_for(self, expression, timeout=START_TIMEOUT):
        """Waits until the expression finds something."""
        wait_until(lambda: self.query(expression), f"{expression} finds nothing", self.words, timeout, pause=0.2)


class Prometheus(Api):
    """A Prometheus that watches one loyd; a context manager."""

    def __init__(self, target):
        self.folder = tempfile.TemporaryDirectory(prefix="loyd-prometheus-")
        config = yaml.safe_load((FILES / "prometheus.yaml").read_text())
        config["global"] = {
            "scrape_interval": "500ms",
            "scrape_timeout": "500ms",
            "evaluation_interval": "500ms",
        }
        config["rule_files"] = [str(FILES / each) for each in config["rule_files"]]
        (job,) = [each for each in config["scrape_configs"] if each["job_name"] == "loyd"]
        job["static_configs"] = [{"targets": [target]}]
        config["scrape_configs"] = [job]
        file = pathlib.Path(self.folder.name) / "prometheus.yaml"
        file.write_text(yaml.safe_dump(config))
        log = pathlib.Path(self.folder.name) / "log"
        super().__init__(f"127.0.0.1:{fixed_port()}", words=lambda: log.read_text()[-2000:])
        self.log = log.open("w")
        self.process = subprocess.Popen(
            [
                os.environ["PROMETHEUS_BINARY"],
                f"--config.file={file}",
                f"--storage.tsdb.path={self.folder.name}/data",
                f"--web.listen-address={self.address}",
            ],
            stdout=self.log,
            stderr=self.log,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.log.close()
        self.folder.cleanup()
