"""What `docker compose up` makes of deploy/compose, without Docker. Each service is a process with a network,
files and a process 1 of its own. It sees only what it is lent of this machine, and is root of nothing.

Grafana is left out: no package that tests/system/parts could fetch contains it. Envoy and Prometheus are this
machine's programs, not their images. A service is told its limits (CPUs, memory, processes), but they are not
enforced. Its ports are not published; it is reached at its own address.
"""

import contextlib
import itertools
import os
import pathlib
import random
import shlex
import signal
import subprocess
import sys
import tempfile

import yaml
from image import Image
from manifests import DEPLOY, seconds
from server import BINARY

FOLDER = DEPLOY / "compose"

# What is lent to all services, and to the programs of tests/system/parts.
DEVICES = ("/dev/null", "/dev/random", "/dev/urandom", "/dev/zero")
PROGRAMS = ("/bin", "/lib", "/lib64", "/usr", sys.base_prefix, str(pathlib.Path(sys.prefix).parent))


class Network:
    """A bridge between the services, with this machine as one more neighbour.

    It is in a network namespace of its own, where this machine's firewalls do not apply. The process that
    holds it ends when its standard input closes, so it ends with the test, however that ends. It is process
    1 for all services: when it ends, the kernel kills them and removes the network.
    """

    def __init__(self, names):
        # Addresses reserved for network benchmarks, so that they hide nobody's real ones.
        subnet = f"198.18.{random.randrange(256)}"
        self.addresses = {name: f"{subnet}.{number}" for number, name in enumerate(names, 2)}
        self._ports = (f"port{number}" for number in itertools.count())
        self._hosts = []
        machine, link = f"/proc/{os.getpid()}/ns/net", f"loyd-{os.getpid()}"
        steps = [
            "ip link add bridge up type bridge",
            f"ip link add machine up master bridge type veth peer name {link} netns {machine}",
            f"nsenter --net={machine} ip address add {subnet}.1/24 dev {link}",
            f"nsenter --net={machine} ip link set {link} up",
            "echo made",
            "exec cat",
        ]
        self._holder = subprocess.Popen(
            ["unshare", "--net", "--pid", "--fork", "sh", "-ec", "\n".join(steps)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        said = self._holder.stdout.readline()
        if said != "made\n":
            self.end()
            raise AssertionError(f"this needs root, Linux's namespaces and bridges, and iproute2: {said.strip()}")
        self._namespaces = f"/proc/{self._holder.pid}/ns"

    def start(self, name, steps, log):
        """A process that takes these steps as one of the hosts, where it is process 1."""
        address, port, bridge = self.addresses[name], next(self._ports), f"{self._namespaces}/net"
        # A host that comes back keeps its hardware address, or its neighbours would look for the old one.
        hardware = "02:00:" + ":".join(f"{int(part):02x}" for part in address.split("."))
        join = [
            "ip link set lo up",
            f"ip link add eth0 up address {hardware} type veth peer name {port} netns {bridge}",
            f"ip address add {address}/24 dev eth0",
            f"nsenter --net={bridge} ip link set {port} up master bridge",
        ]
        enter = ["nsenter", f"--pid={self._namespaces}/pid_for_children"]
        own = ["unshare", "--net", "--mount", "--pid", "--fork"]
        command = [*enter, *own, "sh", "-ec", "\n".join(join + steps)]
        host = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self._hosts.append(host)
        return host

    def names(self):
        """What a container engine's name server would answer, as a hosts file."""
        names = {"localhost": "127.0.0.1"} | self.addresses
        return "".join(f"{address} {name}\n" for name, address in names.items())

    def end(self):
        self._holder.communicate()
        for host in self._hosts:
            host.wait()


class Lent:
    """A program of this machine, with the user and the volume that its image has."""

    lent = PROGRAMS

    def __init__(self, root, program, user, volume=None):
        self.root = root
        self.root.mkdir()
        self.config = {
            "Entrypoint": [os.environ[program]],
            "Env": ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"],
            "User": f"{user}:{user}",
        }
        if volume:
            os.chown(mount_point(root, volume), user, user)


class Service:
    """One service of the file."""

    def __init__(self, name, described, image, network, folder):
        self.address = network.addresses[name]
        self._name, self._described, self._image = name, described, image
        self._network, self._folder = network, folder
        self._log = folder / f"{name}.log"

    @property
    def published(self):
        """The port that the file publishes, if any."""
        (port,) = self._described["ports"]
        return f"{self.address}:{port.split(':')[-1]}"

    def start(self):
        with self._log.open("a") as log:
            self._process = self._network.start(self._name, [*self._see(), self._run()], log)

    def stop(self):
        """Like `docker compose stop`; returns the exit code."""
        # Seen from this machine, its process 1 is a child of `unshare`, which is a child of `nsenter`.
        first = child(child(self._process.pid))
        os.kill(first, signal.SIGTERM)
        try:
            return self._process.wait(seconds(self._described["stop_grace_period"]))
        except subprocess.TimeoutExpired:
            os.kill(first, signal.SIGKILL)
            return -signal.SIGKILL

    def said(self):
        return self._log.read_text()

    def _see(self):
        """The steps after which the working folder has everything that the service is to see."""
        root = self._image.root
        yield f"mount --bind {root} {root}"
        yield f"cd {root}"
        for source, target, *options in self._mounts():
            mount_point(root, target, folder=source.is_dir())
            yield f"mount --bind {source} .{target}"
            if options == ["ro"]:
                yield f"mount -o remount,bind,ro .{target}"
        for target in self._described.get("tmpfs", ()):
            mount_point(root, target)
            yield f"mount -t tmpfs tmpfs .{target}"
        mount_point(root, "/proc")
        yield "mount -t proc proc ./proc"
        if self._described["read_only"]:
            yield "mount -o remount,bind,ro ."

    def _mounts(self):
        """What it sees of this machine and where; with `ro` it cannot change it."""
        for path in map(pathlib.Path, self._image.lent):
            yield path, str(path), "ro"
        for path in map(pathlib.Path, DEVICES):
            yield path, str(path)
        yield self._folder / "hosts", "/etc/hosts", "ro"
        yield self._limits(), "/sys/fs/cgroup", "ro"
        for volume in self._described["volumes"]:
            source, target, *options = volume.split(":")
            path = (FOLDER / source).resolve() if source.startswith(".") else self._volume(source, target)
            yield path, target, *options

    def _limits(self):
        """Where a process looks for the memory that it may use."""
        folder = self._folder / f"{self._name}.limits"
        folder.mkdir(exist_ok=True)
        (folder / "memory.max").write_text(f"{in_bytes(self._described['mem_limit'])}\n")
        return folder

    def _volume(self, name, target):
        """A named volume, with the owner that the folder in the image has."""
        folder = self._folder / f"{name}.volume"
        folder.mkdir(exist_ok=True)
        owner = mount_point(self._image.root, target).stat()
        os.chown(folder, owner.st_uid, owner.st_gid)
        return folder

    def _run(self):
        """The last step: the program, as the image's user."""
        config, environment = self._image.config, self._described.get("environment", {})
        variables = config["Env"] + [f"{name}={value}" for name, value in environment.items()]
        program = config["Entrypoint"] + (self._described.get("command") or config["Cmd"])
        user = ["setpriv", "--no-new-privs", "chroot", f"--userspec={config['User']}", "."]
        return f"exec env -i {shlex.join(variables + user + program)}"


class Compose:
    """All services except Grafana, as a context manager."""

    def __enter__(self):
        described = yaml.safe_load((FOLDER / "compose.yaml").read_text())["services"]
        del described["grafana"]
        with contextlib.ExitStack() as stack:
            folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="loyd-compose-")))
            # The file's target also has a list of what the binary is made of.
            loyd = stack.enter_context(Image(BINARY))
            images = {
                "loyd-1": loyd,
                "loyd-2": loyd,
                "envoy": Lent(folder / "envoy", "ENVOY_BINARY", 65532),
                "prometheus": Lent(folder / "prometheus", "PROMETHEUS_BINARY", 65534, volume="/prometheus"),
            }
            network = Network(described)
            stack.callback(network.end)
            (folder / "hosts").write_text(network.names())
            self._services = {
                name: Service(name, described[name], images[name], network, folder) for name in described
            }
            for service in self._services.values():
                service.start()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self._stack.close()

    def __getitem__(self, name):
        return self._services[name]

    def words(self):
        """The last lines of each service."""
        return "".join(f"\n{name}: {service.said()[-2000:]}" for name, service in self._services.items())


def mount_point(root, target, folder=True):
    """TARGET in this root; creates an empty folder or file if it is missing."""
    path = root / target.removeprefix("/")
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir() if folder else path.touch()
    return path


def child(pid):
    return int(pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text())


def in_bytes(text):
    """A size in the file's notation, in bytes."""
    return int(text[:-1]) << {"k": 10, "m": 20, "g": 30}[text[-1]]
