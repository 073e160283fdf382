"""The Kubernetes manifests of deploy/kubernetes/rendered, and what their pods would see."""

import pathlib

import yaml

DEPLOY = pathlib.Path(__file__).resolve().parents[2] / "deploy"
KUBERNETES = DEPLOY / "kubernetes"


class Manifests:
    """The resources of one overlay."""

    def __init__(self, overlay):
        text = (KUBERNETES / "rendered" / f"{overlay}.yaml").read_text()
        self.all = list(yaml.safe_load_all(text))

    def of(self, kind):
        return [resource for resource in self.all if resource["kind"] == kind]

    def one(self, kind, name="loyd"):
        (found,) = [each for each in self.of(kind) if each["metadata"]["name"] == name]
        return found

    @property
    def pod(self):
        return self.one("Deployment")["spec"]["template"]["spec"]

    @property
    def container(self):
        (container,) = self.pod["containers"]
        return container

    def environment(self):
        """The variables of the container, including those filled from the pod's own resources."""
        seen = {}
        for source in self.container.get("envFrom", ()):
            seen |= self.one("ConfigMap", source["configMapRef"]["name"])["data"]
        for variable in self.container.get("env", ()):
            if "value" in variable:
                seen[variable["name"]] = variable["value"]
            else:
                side, what = variable["valueFrom"]["resourceFieldRef"]["resource"].split(".")
                seen[variable["name"]] = self.container["resources"][side][what]
        return seen


def seconds(text):
    """A time in the notation of loyd's settings, in seconds."""
    units = {"ms": 0.001, "s": 1, "m": 60}
    unit = next(unit for unit in units if text.endswith(unit))
    return float(text.removesuffix(unit)) * units[unit]
