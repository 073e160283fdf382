"""What calls cost: the figures of docs/capacity.md.

    tests/system/run capacity.py calls      CPU of the server, by kind of call
    tests/system/run capacity.py above      the same, minus the solve itself, 4×4, beside a bare service
    tests/system/run capacity.py replicas   the same with 1, 2 and 4 processes
    tests/system/run capacity.py balancers  CPU of the balancers, by CheckSolvable
    tests/system/run capacity.py memory     resident, by --table-memory

The servers are kept busy, with `depth` calls in progress. CPU time is measured, since it depends less than wall-clock time on what else the machine
does; calls per second and core are derived from it.
"""

import argparse
import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

from client import Client
from grpc_health.v1 import health_pb2, health_pb2_grpc
from proxies import ALL, fixed_port
from server import BINARY, Server

TICKS = os.sysconf("SC_CLK_TCK")

RUNS = 3


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


@contextlib.contextmanager
def server(folder, *flags, tables=True, listen="127.0.0.1:0"):
    """A server that has all the tables it wants."""
    wanted = ("--log=warn,loyd::cli=info", f"--table-dir={folder}", "--build-memory=1G")
    with Server(*wanted, *flags, listen=listen) as started:
        with Client(started.address) as client:
            health = health_pb2_grpc.HealthStub(client.channel)
            while tables:
                answer = health.Check(health_pb2.HealthCheckRequest(service="loyd.tables"))
                if answer.status == health_pb2.HealthCheckResponse.SERVING:
                    break
                time.sleep(0.2)
            yield started, client


class Repeated:
    """The same question over and over, sent by h2load over one connection."""

    def __init__(self, method, message, count, depth=64):
        self.method, self.message, self.count, self.depth = method, message, count, depth

    @contextlib.contextmanager
    def asking(self, server, run):
        message = self.message.SerializeToString()
        with tempfile.NamedTemporaryFile() as body:
            body.write(b"\0" + len(message).to_bytes(4, "big") + message)
            body.flush()
            yield [
                os.environ.get("H2LOAD_BINARY", "h2load"),
                *("-c1", "-t1", f"-m{self.depth}", f"-n{self.count}", "-d", body.name),
                *("-H", "content-type: application/grpc", "-H", "te: trailers"),
                f"http://{server.address}/loyd.v1.PuzzleService/{self.method}",
            ]


class Boards:
    """Uniform boards, all different, solved optimally through `loyd bench`."""

    method = "Solve"

    def __init__(self, side, count, depth=64):
        self.side, self.count, self.depth = side, count, depth

    @contextlib.contextmanager
    def asking(self, server, run):
        yield [
            *(BINARY, "bench", "--suite=uniform", f"--rows={self.side}", f"--columns={self.side}"),
            *(f"--count={self.count}", f"--seed={run + 1}", f"--in-flight={self.depth}"),
            f"--server={server.address}",
        ]


class Listed:
    """Drawn 4×4 boards, solved optimally through `loyd bench`."""

    method = "Solve"

    def __init__(self, folder, name, *drawn, draws, count=1_000):
        self.file = pathlib.Path(folder, f"{name}.txt")
        self.count = draws * count
        with self.file.open("w") as file:
            for seed in range(draws):
                draw = (BINARY, "generate", "4", *drawn, f"--count={count}", f"--seed={seed + 1}")
                for line in subprocess.check_output(draw, text=True).splitlines():
                    tiles = line.split("#")[0].replace("/", " ").split()
                    print(*tiles, sep=",", file=file)

    @contextlib.contextmanager
    def asking(self, server, run):
        yield [
            *(BINARY, "bench", f"--file={self.file}", "--in-flight=64"),
            f"--server={server.address}",
        ]

    def alone(self, folder):
        """CPU seconds of the search for a board, without a service and with nothing else to do."""
        command = (BINARY, "bench", "--json", f"--file={self.file}", f"--table-dir={folder}")
        told = json.loads(subprocess.check_output(command, stderr=subprocess.DEVNULL))
        return told["milliseconds"]["mean"] / 1e3


class Bare:
    """The least that a service by tonic takes: `cargo bench --bench bare`."""

    def __init__(self, folder):
        command = ("cargo", "bench", "--locked", "--bench", "bare", "--", f"--table-dir={folder}")
        pipe = subprocess.PIPE
        self.cargo = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
        line = self.cargo.stdout.readline()
        assert line, "cargo bench --bench bare says where it serves"
        pid, self.address = line.split()
        self.pid = int(pid)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.cargo.stdin.close()
        self.cargo.wait()


def kinds(client):
    """The calls to make, for about a second of CPU each time."""

    def check(side):
        return client.message("CheckSolvableRequest", board=client.boards(side)[0])

    def fast(side):
        return client.solve_request(client.boards(side)[0], "FAST")

    # Without a seed each call gets a board of its own.
    any_board = client.message("GenerateRequest", rows=4)
    difficulty = client.message("Difficulty", min_moves=20, max_moves=25)
    difficult = client.message("GenerateRequest", rows=4, difficulty=difficulty)
    return {
        "`CheckSolvable` 4×4": Repeated("CheckSolvable", check(4), 40_000),
        "`CheckSolvable` 32×32": Repeated("CheckSolvable", check(32), 8_000),
        "`Generate` 4×4, any board": Repeated("Generate", any_board, 20_000),
        "`Generate` 4×4 of 20 to 25 moves": Repeated("Generate", difficult, 1_000),
        "`Solve` 3×3, optimal": Boards(3, 15_000),
        "`Solve` 4×4, optimal": Boards(4, 2_000),
        # One at a time, since equal concurrent questions would be one search.
        "`Solve` 10×10, `FAST`": Repeated("Solve", fast(10), 600, depth=1),
        "`Solve` 32×32, `FAST`": Repeated("Solve", fast(32), 60, depth=1),
    }


def answered(server, method):
    name = f'loyd_requests_handled_total{{method="{method}",code="OK"}}'
    return server.metrics().get(name, 0)


def cost(servers, kind, run):
    """CPU seconds for each call of a kind, with all servers asked at once, and calls per second."""
    calls = -sum(answered(server, kind.method) for server in servers)
    pids = [server.process.pid for server in servers]
    spent, took = asked(pids, servers, kind, run)
    calls += sum(answered(server, kind.method) for server in servers)
    assert calls == kind.count * len(servers), f"{calls} calls were answered"
    return spent / calls, calls / took


def asked(pids, servers, kind, run):
    """CPU seconds of the processes while all servers are asked at once, and the seconds this took."""

    def spent():
        return sum(cpu_seconds(pid) for pid in pids)

    before, begun = spent(), time.monotonic()
    with contextlib.ExitStack() as stack:
        clients = [
            stack.enter_context(
                subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            )
            for command in (stack.enter_context(kind.asking(server, run)) for server in servers)
        ]
        for client in clients:
            _, said = client.communicate()
            assert client.returncode == 0, said.decode()
    return spent() - before, time.monotonic() - begun


def row(name, costs):
    """One line of the table: the medians of the runs."""
    seconds = statistics.median(seconds for seconds, _ in costs)
    rate = statistics.median(rate for _, rate in costs)
    print(f"| {name} | {seconds * 1e6:,.0f} µs | {1 / seconds:,.0f} | {rate:,.0f} |", flush=True)


HEAD = "CPU a call | calls a second and core | calls a second, seen |\n| --- | --- | --- | --- |"


def calls(folder):
    print(f"| call | {HEAD}")
    with server(folder) as (started, client):
        for name, kind in kinds(client).items():
            row(name, [cost([started], kind, run) for run in range(RUNS)])


def above(folder):
    head = "boards | CPU a call | of it the solve | above it, median and least | a bare service's"
    print(f"| {head} |\n| --- | --- | --- | --- | --- |")
    easy = ("--min-moves=10", "--max-moves=16")
    with (
        tempfile.TemporaryDirectory(prefix="loyd-boards-") as boards,
        server(folder, "--cache-memory=0") as (started, _),
        Bare(folder) as bare_service,
    ):
        for name, kind in {
            "4×4 of 10 to 16 moves": Listed(boards, "easy", *easy, draws=10),
            "4×4, any": Listed(boards, "any", draws=2),
        }.items():
            turns = [
                (
                    cost([started], kind, run)[0],
                    kind.alone(folder),
                    asked([bare_service.pid], [bare_service], kind, run)[0] / kind.count,
                )
                for run in range(2 * RUNS)
            ]
            ours = [(loyd - alone) * 1e6 for loyd, alone, _ in turns]
            bares = [(bare - alone) * 1e6 for _, alone, bare in turns]
            loyd, alone, _ = (statistics.median(seconds) * 1e6 for seconds in zip(*turns))
            print(
                f"| {name} | {loyd:,.0f} µs | {alone:,.0f} µs "
                f"| {statistics.median(ours):,.0f} µs, {min(ours):,.0f} µs "
                f"| {statistics.median(bares):,.0f} µs, {min(bares):,.0f} µs |",
                flush=True,
            )


def replicas(folder):
    print(f"| replicas, one worker each | {HEAD}")
    for count in (1, 2, 4):
        with contextlib.ExitStack() as stack:
            pairs = [stack.enter_context(server(folder, "--workers=1")) for _ in range(count)]
            kind = kinds(pairs[0][1])["`Solve` 4×4, optimal"]
            servers = [started for started, _ in pairs]
            row(str(count), [cost(servers, kind, run) for run in range(RUNS)])


def balancers(folder):
    print("| balancer | its CPU a call | calls a second and core |\n| --- | --- | --- |")
    ports = [fixed_port(), fixed_port()]
    with contextlib.ExitStack() as stack:
        pairs = [
            stack.enter_context(server(folder, listen=f"127.0.0.1:{port}")) for port in ports
        ]
        servers, (client, _) = zip(*pairs)
        question = kinds(client)["`CheckSolvable` 4×4"]
        for program in ALL:
            proxy = program(ports).start()
            stack.callback(proxy.stop)
            proxy.wait_for_replicas()
            costs = []
            for run in range(RUNS):
                before = family_seconds(proxy.process)
                calls = -sum(answered(started, question.method) for started in servers)
                with question.asking(proxy, run) as command:
                    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
                calls += sum(answered(started, question.method) for started in servers)
                assert calls == question.count, f"{calls} calls were answered"
                costs.append((family_seconds(proxy.process) - before) / question.count)
            seconds = statistics.median(costs)
            print(
                f"| {program.__name__} | {seconds * 1e6:,.0f} µs | {1 / seconds:,.0f} |", flush=True
            )


def family_seconds(process):
    """The CPU seconds of a process and of its children, such as nginx's workers."""
    children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return sum(cpu_seconds(pid) for pid in (process.pid, *children))


def memory(folder):
    print("| `--table-memory` | resident when ready | with all tables |\n| --- | --- | --- |")
    for tables in ("0", "4M", "20M", "40M", "256M"):
        flag = f"--table-memory={tables}"
        with server(folder, flag, tables=False) as (started, _):
            ready = started.resident_bytes()
        with server(folder, flag) as (started, _):
            print(
                f"| `{tables}` | {ready / 1e6:.0f} MB | {started.resident_bytes() / 1e6:.0f} MB |",
                flush=True,
            )


MEASURES = {
    "calls": calls,
    "above": above,
    "replicas": replicas,
    "balancers": balancers,
    "memory": memory,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=tuple(MEASURES))
    parser.add_argument("--table-dir", help="where tables are kept from run to run")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="loyd-tables-") as folder:
        MEASURES[chosen.what](chosen.table_dir or folder)


if __name__ == "__main__":
    main()
