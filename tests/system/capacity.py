"""What calls cost: the figures of docs/capacity.md.

    target/system-venv/bin/python -B tests/system/capacity.py calls    # CPU of the server, by kind of call
    target/system-venv/bin/python -B tests/system/capacity.py replicas # the same with 1, 2 and 4 processes
    target/system-venv/bin/python -B tests/system/capacity.py memory   # resident, by --table-memory
    target/system-venv/bin/python -B tests/system/capacity.py h2load   # CheckSolvable over one connection

after `tests/system/run` has made that folder and the binary. Costs are CPU time, which does not depend
on what else the machine does as much as time by the clock; calls a second and core are what follows.
"""

import argparse
import contextlib
import os
import pathlib
import re
import statistics
import subprocess
import tempfile
import time

from client import Client
from grpc_health.v1 import health_pb2, health_pb2_grpc
from load import Load, failed
from server import Server

TICKS = os.sysconf("SC_CLK_TCK")

# Long enough for the clock of /proc, which ticks a hundred times a second.
SECONDS = 8
RUNS = 3


def cpu_seconds(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


@contextlib.contextmanager
def server(folder, *flags, tables=True):
    """A server that has all the tables it wants."""
    with Server(
        "--log=warn,loyd::cli=info", f"--table-dir={folder}", "--build-memory=2G", *flags
    ) as started:
        with Client(started.address) as client:
            health = health_pb2_grpc.HealthStub(client.channel)
            while tables:
                answer = health.Check(health_pb2.HealthCheckRequest(service="loyd.tables"))
                if answer.status == health_pb2.HealthCheckResponse.SERVING:
                    break
                time.sleep(0.2)
            yield started, client


def kinds(client):
    """What is called, how often a second, and with which questions, none of them twice."""

    def check(side):
        return [
            ("CheckSolvable", client.message("CheckSolvableRequest", board=board))
            for board in client.boards(side, count=100, seed=side)
        ]

    def solve(side, count, objective):
        return [
            ("Solve", client.solve_request(board, objective))
            for seed in range(0, count, 1000)
            for board in client.boards(side, count=min(1000, count), seed=1 + seed)
        ]

    def generate(**what):
        return [
            ("Generate", client.message("GenerateRequest", rows=4, seed=seed, **what))
            for seed in range(5000)
        ]

    twenty = client.message("Difficulty", min_moves=20, max_moves=25)
    return {
        "`CheckSolvable` 4×4": (500, check(4)),
        "`CheckSolvable` 32×32": (200, check(32)),
        "`Solve` 3×3, optimal": (500, solve(3, 12_000, "OPTIMAL")),
        "`Solve` 4×4, optimal": (200, solve(4, 5_000, "OPTIMAL")),
        "`Solve` 10×10, `FAST`": (100, solve(10, 1_000, "FAST")),
        "`Solve` 32×32, `FAST`": (10, solve(32, 200, "FAST")),
        "`Generate` 4×4, one board": (300, generate()),
        "`Generate` 4×4 of 20 to 25 moves": (50, generate(difficulty=twenty)),
    }


def cost(servers, address, rate, requests, service_config=None):
    """CPU seconds of all servers for one call, what they do without calls taken off."""

    def spent():
        return sum(cpu_seconds(started.process) for started in servers)

    idle = spent()
    time.sleep(2)
    idle = (spent() - idle) / 2
    before, begun = spent(), time.monotonic()
    load = Load(address, requests, rate, service_config=service_config)
    time.sleep(SECONDS)
    tally = load.end()
    assert not failed(tally.unary), tally
    busy = spent() - before - idle * (time.monotonic() - begun)
    return busy / tally.unary["OK"]


def calls(folder):
    print("| call | CPU a call | calls a second and core |\n| --- | --- | --- |")
    with server(folder) as (started, client):
        for name, (rate, requests) in kinds(client).items():
            part = len(requests) // RUNS
            costs = [
                cost([started], started.address, rate, requests[run * part : (run + 1) * part])
                for run in range(RUNS)
            ]
            row(name, statistics.median(costs))


def row(name, seconds):
    print(f"| {name} | {seconds * 1e6:,.0f} µs | {1 / seconds:,.0f} |", flush=True)


def replicas(folder):
    print("| replicas | CPU a call | calls a second and core |\n| --- | --- | --- |")
    for count in (1, 2, 4):
        with contextlib.ExitStack() as stack:
            pairs = [stack.enter_context(server(folder, "--workers=1")) for _ in range(count)]
            servers = [started for started, _ in pairs]
            rate, requests = kinds(pairs[0][1])["`Solve` 4×4, optimal"]
            target = "ipv4:" + ",".join(started.address for started in servers)
            config = {"loadBalancingConfig": [{"round_robin": {}}]}
            part = len(requests) // RUNS
            costs = []
            for run in range(RUNS):
                these = requests[run * part : (run + 1) * part]
                costs.append(cost(servers, target, rate, these, config))
            row(str(count), statistics.median(costs))


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


def h2load(folder):
    with server(folder) as (started, client), tempfile.NamedTemporaryFile() as body:
        check = client.message("CheckSolvableRequest", board=client.boards(4, seed=1)[0])
        message = check.SerializeToString()
        body.write(b"\0" + len(message).to_bytes(4, "big") + message)
        body.flush()
        before = cpu_seconds(started.process)
        done = subprocess.run(
            [
                os.environ.get("H2LOAD_BINARY", "h2load"),
                *("-c1", "-m64", "-t1", "-n100000", "-d", body.name),
                *("-H", "content-type: application/grpc", "-H", "te: trailers"),
                f"http://{started.address}/loyd.v1.PuzzleService/CheckSolvable",
            ],
            capture_output=True,
            text=True,
            check=True,
        )
        spent = cpu_seconds(started.process) - before
        metrics = started.metrics()
        answered = metrics['loyd_requests_handled_total{method="CheckSolvable",code="OK"}']
        assert answered == 100_000, metrics
        print(re.search(r"finished in .*", done.stdout)[0])
        row("`CheckSolvable` 4×4, 64 in flight", spent / answered)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("calls", "replicas", "memory", "h2load"))
    parser.add_argument("--table-dir", help="where tables are kept from run to run")
    chosen = parser.parse_args()
    measure = {"calls": calls, "replicas": replicas, "memory": memory, "h2load": h2load}
    with tempfile.TemporaryDirectory(prefix="loyd-tables-") as folder:
        measure[chosen.what](chosen.table_dir or folder)


if __name__ == "__main__":
    main()
