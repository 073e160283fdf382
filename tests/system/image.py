"""The image of the Dockerfile, built by buildah without a daemon and run in a chroot."""

import json
import os
import pathlib
import shlex
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Image:
    """One target of the Dockerfile around an existing binary; a context manager."""

    def __init__(self, binary, target="runtime"):
        self._folder = tempfile.TemporaryDirectory(prefix="loyd-image-")
        self.folder = pathlib.Path(self._folder.name)
        built = self.folder / "built"
        (built / "out/cache").mkdir(parents=True)
        subprocess.run(["strip", "-o", built / "out/loyd", binary], check=True)
        (built / "Dockerfile").write_text("FROM scratch\nCOPY out /out\n")
        try:
            self._buildah("bud", *self._quick, "--tag=built", built)
            self._buildah(
                "bud", *self._quick, "--build-arg=BUILT=localhost/built", f"--target={target}", "--tag=loyd", ROOT
            )
            described = self._buildah("inspect", "--type=image", "localhost/loyd")
            self.config = json.loads(described)["Docker"]["config"]
            container = self._buildah("from", *self._policy, "localhost/loyd").strip()
            self.root = pathlib.Path(self._buildah("mount", container).strip())
        except Exception:
            self._folder.cleanup()
            raise

    @property
    def _policy(self):
        policy = self.folder / "policy.json"
        policy.write_text('{"default": [{"type": "insecureAcceptAnything"}]}')
        return (f"--signature-policy={policy}",)

    @property
    def _quick(self):
        return ("--quiet", "--format=docker", "--isolation=chroot", "--layers=false", *self._policy)

    def _buildah(self, *arguments):
        command = [
            os.environ["BUILDAH_BINARY"],
            "--storage-driver=vfs",
            f"--root={self.folder}/root",
            f"--runroot={self.folder}/run",
            *map(str, arguments),
        ]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
        assert done.returncode == 0, f"{shlex.join(command)}: {done.stderr}"
        return done.stdout

    @property
    def dynamic(self):
        """Whether the binary needs a dynamic loader."""
        headers = subprocess.run(
            ["readelf", "--program-headers", self.root / "usr/local/bin/loyd"],
            capture_output=True,
            text=True,
            check=True,
        )
        return "INTERP" in headers.stdout

    @property
    def lent(self):
        """What it needs of this machine: nothing for the Dockerfile's static binary; another one needs the
        C library."""
        return ("/lib", "/lib64", "/usr/lib") if self.dynamic else ()

    def files(self):
        """The size of every file, by its path in the image."""
        return {
            f"/{path.relative_to(self.root)}": path.stat().st_size
            for path in self.root.rglob("*")
            if path.is_file()
        }

    def command(self, arguments, environment):
        """The command that runs the image: its user and environment, its root read-only, its volumes in
        memory."""
        steps = [f"mount --bind {self.root} {self.root}", f"cd {self.root}"]
        steps += [f"mkdir -p .{path} && mount --bind {path} .{path}" for path in self.lent]
        steps += ["mount -o remount,bind,ro ."]
        user, group = self.config["User"].split(":")
        for volume in self.config["Volumes"]:
            steps.append(f"mount -t tmpfs -o uid={user},gid={group},mode=0755 tables .{volume}")
        variables = dict(each.split("=", 1) for each in self.config["Env"]) | environment
        words = [f"{name}={value}" for name, value in variables.items()]
        words += ["chroot", f"--userspec={user}:{group}", ".", *arguments]
        steps.append(f"exec env -i {shlex.join(words)}")
        return ["unshare", "--mount", "sh", "-ec", "\n".join(steps)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._folder.cleanup()
