"""The metrics of scripted calls, each by how much it has grown."""

import contextlib

import grpc
from case import Case
from waiting import wait_until

Code = grpc.StatusCode


def total(samples, name):
    """The sample of a name, or the sum over all labels of a name without any."""
    return sum(value for each, value in samples.items() if name in (each, each.split("{")[0]))


class Grown:
    """How much the metrics have grown since nothing was in progress."""

    UNDER_WAY = ("loyd_requests_in_flight", "loyd_searches_running", "loyd_queue_depth")

    def __init__(self, server):
        self.server = server
        wait_until(self.is_idle, "calls do not end", server.metrics, pause=0.01)
        # A scrape reads the counters first, so those of calls that ended meanwhile may be missing.
        self.before = server.metrics()

    def is_idle(self):
        now = self.server.metrics()
        return not any(total(now, name) for name in self.UNDER_WAY)

    def __getitem__(self, name):
        return self.of([name])[name]

    def of(self, names):
        """All at one moment."""
        now = self.server.metrics()
        return {name: total(now, name) - total(self.before, name) for name in names}

    def wait_for(self, expected):
        """Waits until they have grown by exactly this much."""

        def differing():
            return {name: by for name, by in self.of(expected).items() if by != expected[name]}

        wait_until(lambda: not differing(), f"not {expected}", differing, pause=0.01)


class Counted(Case):
    flags = ("--workers=2", "--queue=8", "--client-header=x-loyd-client")

    def setUp(self):
        self.grown = Grown(self.server)

    def wait_for(self, expected):
        self.grown.wait_for(expected)

    def is_told(self, name):
        return self.server.metrics().get(name, 0)

    def test_the_pool(self):
        self.assertEqual(self.is_told("loyd_pool_capacity"), 8)
        self.assertEqual(self.is_told("loyd_workers"), 2)

    def ask_as(self, *names):
        """The same hopeless question by clients of these names, counted from now on."""
        request = self.client.solve_request(self.client.boards(5, seed=31)[0], "OPTIMAL")
        self.grown = Grown(self.server)
        return [self.client.Solve.future(request, metadata=[("x-loyd-client", name)]) for name in names]

    def test_equal_questions_of_two_clients(self):
        calls = self.ask_as("first", "second")
        self.wait_for(
            {
                "loyd_cache_misses_total": 2,
                "loyd_cache_hits_total": 0,
                "loyd_searches_running": 2,
                "loyd_clients": 2,
                'loyd_requests_in_flight{method="Solve"}': 2,
            }
        )
        for call in calls:
            call.cancel()
        self.wait_for({"loyd_searches_abandoned_total": 2, "loyd_searches_running": 0})

    def test_equal_questions(self):
        first, second = self.ask_as("one", "one")
        self.wait_for(
            {
                "loyd_cache_misses_total": 1,
                "loyd_cache_hits_total": 1,
                "loyd_searches_running": 1,
                "loyd_searches_parked": 0,
                "loyd_queue_depth": 0,
                "loyd_clients": 1,
                'loyd_requests_in_flight{method="Solve"}': 2,
            }
        )
        # Told from the end of its first slice on.
        wait_until(lambda: self.is_told("loyd_memory_bytes"), "no memory held", self.server.metrics)
        first.cancel()
        self.wait_for({'loyd_requests_in_flight{method="Solve"}': 1})
        self.assertEqual(self.grown["loyd_searches_abandoned_total"], 0)
        second.cancel()
        self.wait_for(
            {
                "loyd_searches_abandoned_total": 1,
                "loyd_searches_running": 0,
                "loyd_cache_misses_total": 1,
                "loyd_cache_hits_total": 1,
                'loyd_requests_in_flight{method="Solve"}': 0,
                'loyd_requests_handled_total{method="Solve",code="CANCELLED"}': 2,
                # It waited once.
                "loyd_queue_seconds_count": 1,
            }
        )
        self.assertGreater(self.grown["loyd_slice_seconds_count"], 0)
        self.assertGreater(self.grown["loyd_slice_seconds_sum"], 0)

    def test_each_limit(self):
        board = self.client.boards(6, seed=32)[0]
        a_star = {"algorithm": self.client.value("Algorithm", "ALGORITHM_A_STAR")}
        names = [f'loyd_limit_stops_total{{limit="{name}"}}' for name in ("nodes", "time", "memory")]
        for name, limits, method in zip(
            names,
            (
                {"max_nodes": 1000},
                {"max_time": {"nanos": 1_000_000}},
                {"max_memory_bytes": 1 << 20, "max_time": {"seconds": 20}},
            ),
            ({}, {}, a_star),
        ):
            self.grown = Grown(self.server)
            request = self.client.solve_request(board, "OPTIMAL", limits=limits, method=method)
            refusal = self.refusal(self.client.Solve, request)
            self.assertEqual(refusal.code, Code.RESOURCE_EXHAUSTED)
            # An answer that ends because of a limit counts too.
            request.objective = self.client.objective("BEST")
            self.client.Solve(request)
            self.wait_for({each: 2 if each == name else 0 for each in names})

    def test_a_search_whose_asker_has_an_answer_is_not_abandoned(self):
        request = self.client.solve_request(self.client.boards(6, seed=38)[0])
        request.limits.max_time.FromMilliseconds(100)
        self.grown = Grown(self.server)
        self.client.Solve(request)
        # Drawn boards, and a refusal when time is up, count as well.
        request.objective = self.client.objective("OPTIMAL")
        self.refusal(self.client.Solve, request)
        self.refusal(self.client.SolveStream, self.client.message("SolveStreamRequest", solve=request))
        self.wait_for({'loyd_limit_stops_total{limit="time"}': 3, "loyd_searches_running": 0})
        self.assertEqual(self.grown["loyd_searches_abandoned_total"], 0)

    def test_a_deadline_is_a_limit(self):
        request = self.client.solve_request(self.client.boards(6, seed=33)[0], "BEST")

        def is_said_by_the_server():
            with contextlib.suppress(grpc.RpcError):
                self.client.Solve(request, timeout=0.2)
            return self.grown['loyd_limit_stops_total{limit="deadline"}'] > 0

        self.wait_until(is_said_by_the_server, "no deadline is told")

    def test_a_solution(self):
        board = self.client.boards(4, seed=34)[0]
        self.grown = Grown(self.server)
        pushes = self.client.value("Metric", "METRIC_MULTI_TILE")
        answers = [
            self.client.Solve(self.client.solve_request(board, "FAST", metric=metric))
            for metric in (0, pushes)
        ]
        # Slides, whatever is counted for the client.
        slides = sum(len(answer.solution.moves) for answer in answers)
        nodes = sum(answer.statistics.nodes_generated for answer in answers)
        self.wait_for(
            {
                'loyd_solution_moves_sum{size="to_4x4"}': slides,
                'loyd_solution_moves_count{size="to_4x4"}': 2,
                'loyd_solve_seconds_count{size="to_4x4",objective="fast"}': 2,
                'loyd_requests_started_total{method="Solve"}': 2,
                'loyd_requests_handled_total{method="Solve",code="OK"}': 2,
                'loyd_request_seconds_count{method="Solve"}': 2,
                "loyd_queue_seconds_count": 2,
                "loyd_nodes_total": nodes,
                'loyd_nodes_total{algorithm="constructive"}': nodes,
            }
        )
        at_once = self.grown["loyd_solved_at_once_total"]
        self.assertEqual(at_once + self.grown["loyd_cache_misses_total"], 2)
        took = sum(answer.statistics.elapsed.ToNanoseconds() for answer in answers) / 1e9
        told = self.grown['loyd_solve_seconds_sum{size="to_4x4",objective="fast"}']
        self.assertGreaterEqual(told, took)
        self.assertGreaterEqual(self.grown['loyd_request_seconds_sum{method="Solve"}'], told)

    def test_a_search_by_a_worker(self):
        request = self.searched(self.client.boards(3, seed=35)[0])
        self.grown = Grown(self.server)
        answer = self.client.Solve(request)
        expected = {
            "loyd_cache_misses_total": 1,
            "loyd_cache_hits_total": 0,
            "loyd_solved_at_once_total": 0,
            "loyd_nodes_total": answer.statistics.nodes_generated,
            'loyd_nodes_total{algorithm="ida_star"}': answer.statistics.nodes_generated,
            'loyd_solution_moves_sum{size="to_3x3"}': answer.solution.length,
            "loyd_queue_seconds_count": 1,
        }
        self.wait_for(expected)
        queued = self.grown["loyd_queue_seconds_sum"]
        self.assertGreater(queued, 0)
        # The client is told the time since its call's arrival.
        self.assertLessEqual(queued, answer.statistics.queued.ToNanoseconds() / 1e9)
        # A proven answer is kept, so nobody searches for it again.
        again = self.client.Solve(request)
        self.assertEqual(again.solution, answer.solution)
        del expected['loyd_solution_moves_sum{size="to_3x3"}']
        self.wait_for(expected | {"loyd_cache_hits_total": 1})

    def test_a_slow_reader(self):
        request = self.client.stream_request(
            self.client.boards(128, seed=36)[0],
            "FAST",
            solve={"include": self.client.message("Include", tiles=True, boards=True)},
        )
        stream = self.client.SolveStream(request)
        next(stream)
        self.wait_for({"loyd_searches_parked": 1, "loyd_searches_running": 0})
        stream.cancel()
        self.wait_for({"loyd_searches_parked": 0, "loyd_searches_abandoned_total": 1})

    def test_an_idle_worker_helps(self):
        request = self.client.stream_request(self.client.boards(6, seed=37)[0])
        request.solve.limits.max_time.FromSeconds(20)
        stream = self.client.SolveStream(request)
        self.wait_for({"loyd_searches_running": 1, "loyd_workers_helping": 1})
        stream.cancel()
        self.wait_for({"loyd_searches_running": 0, "loyd_workers_helping": 0})


class Tables(Case):
    # Room for two of three, beside the smallest pattern databases.
    flags = ("--table-memory=700K",)

    BYTES = 241_920

    def test_tables_come_and_have_no_room_beside_those_in_use(self):
        grown = Grown(self.server)

        # Which table a 2×5 needs depends on its blank's home.
        for home, ready, refused in ((9, 1, 0), (8, 2, 0), (7, 2, 1)):
            tiles = [*range(1, 10)]
            goal, start = ([*tiles[:at], 0, *tiles[at:]] for at in (home, home - 1))
            request = self.client.solve_request(
                self.client.board(start, 2, 5),
                goal=self.client.message("Goal", board=self.client.board(goal, 2, 5)),
            )
            self.assertEqual(self.client.Solve(request).solution.length, 1)
            grown.wait_for(
                {
                    "loyd_tables_ready": ready,
                    "loyd_tables_bytes": ready * self.BYTES,
                    "loyd_tables_refused": refused,
                    "loyd_tables_evicted_total": 0,
                    "loyd_tables_building": 0,
                }
            )

    def test_tables_of_heuristics(self):
        method = {
            "algorithm": self.client.value("Algorithm", "ALGORITHM_IDA_STAR"),
            "heuristic": self.client.value("Heuristic", "HEURISTIC_WALKING_DISTANCE"),
        }
        grown = Grown(self.server)
        board, limits = self.client.boards(4, seed=39)[0], {"max_nodes": 10_000}
        request = self.client.solve_request(board, "BEST", method=method, limits=limits)
        self.client.Solve(request)
        self.wait_until(lambda: grown["loyd_heuristic_tables_bytes"] > 0, "no bytes are told")
        self.assertEqual(grown["loyd_heuristic_tables_evicted_total"], 0)
