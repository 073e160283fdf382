"""The four calls, and what every gRPC client expects beside them."""

import itertools
import os
import subprocess
import unittest
import urllib.request

import grpc
from case import Case
from client import SERVICE, Client, replay, solved
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2
from server import BINARY, Server
from waiting import least


class Start(unittest.TestCase):
    def test_it_is_ready_within_a_second(self):
        def start_seconds():
            with Server() as server:
                return server.start_seconds

        self.assertLess(least(start_seconds, 1.0), 1.0)
        with Server() as server:
            with Client(server.address) as client:
                self.assertEqual(len(client.service.methods), 4)

    def test_it_says_what_is_wrong_with_its_settings(self):
        with Server() as server:
            for flags, complaint in (
                ([f"--listen={server.address}"], "--listen"),
                (
                    ["--listen=127.0.0.1:0", f"--metrics-listen=127.0.0.1:{server.metrics_port}"],
                    "--metrics-listen",
                ),
                (["--max-side=1"], "--max-side"),
            ):
                if "--metrics" not in complaint:
                    flags = [*flags, "--metrics-listen=127.0.0.1:0"]
                ran = subprocess.run(
                    [BINARY, "serve", *flags], capture_output=True, text=True, timeout=10
                )
                self.assertEqual(ran.returncode, 2, ran.stderr)
                self.assertIn(complaint, ran.stderr)


class Calls(Case):
    def test_solve(self):
        board = self.client.board([8, 6, 7, 2, 5, 4, 3, 0, 1])
        include = self.client.message("Include", tiles=True, boards=True)
        request = self.client.solve_request(board, "OPTIMAL", include=include)
        response = self.client.Solve(request)
        solution = response.solution
        self.assertEqual(solution.length, 31)
        self.assertEqual(solution.lower_bound, 31)
        self.assertTrue(solution.optimal)
        self.assert_solved(board, solution.moves)
        self.assertEqual(len(solution.moves), 31)
        self.assertEqual(len(solution.boards), 31)
        self.assertEqual(list(solution.boards[-1].tiles), solved(9))
        for i, after in enumerate(solution.boards):
            self.assertEqual(list(after.tiles), replay(board, solution.moves[: i + 1]))
        before = [board, *solution.boards]
        for tile, move, old, new in zip(solution.tiles, solution.moves, before, solution.boards):
            self.assertEqual(new.tiles[list(old.tiles).index(0)], tile, move)
        self.assertEqual(response.stop_reason, self.client.value("StopReason", "STOP_REASON_PROVEN"))
        self.assertGreater(response.statistics.elapsed.ToNanoseconds(), 0)

    def test_every_objective(self):
        board = self.client.boards(4)[0]
        lengths = {}
        for objective, fields in (
            ("BEST", {}),
            ("OPTIMAL", {}),
            ("BOUNDED", {"max_ratio": 1.5}),
            ("FAST", {}),
        ):
            solution = self.client.Solve(
                self.client.solve_request(board, objective, **fields)
            ).solution
            self.assert_solved(board, solution.moves)
            lengths[objective] = solution.length
        self.assertEqual(lengths["BEST"], lengths["OPTIMAL"])
        self.assertLessEqual(lengths["BOUNDED"], 1.5 * lengths["OPTIMAL"])
        self.assertLessEqual(lengths["OPTIMAL"], lengths["FAST"])

    def test_every_heuristic_and_every_sum_finds_the_same_length(self):
        number = self.client.value
        board = self.client.board([8, 6, 7, 2, 5, 4, 3, 0, 1])
        corrections = ("LINEAR_CONFLICT", "CORNER_TILES", "LAST_MOVES")
        for heuristic, added in (
            *((name, ()) for name in ("DISCRETE", "HAMMING", "MANHATTAN", "WALKING_DISTANCE")),
            *((name, ()) for name in corrections),
            ("MANHATTAN", corrections),
            ("LAST_MOVES", ("CORNER_TILES",)),
            ("UNSPECIFIED", ("LINEAR_CONFLICT", "LAST_MOVES")),
        ):
            method = self.client.message(
                "Method",
                algorithm=number("Algorithm", "ALGORITHM_IDA_STAR"),
                heuristic=number("Heuristic", f"HEURISTIC_{heuristic}"),
                corrections=[number("Heuristic", f"HEURISTIC_{name}") for name in added],
            )
            response = self.client.Solve(
                self.client.solve_request(board, "OPTIMAL", method=method)
            )
            self.assertEqual(response.solution.length, 31, (heuristic, added))
            self.assert_solved(board, response.solution.moves)
            statistics = response.statistics
            used = {statistics.heuristic, *statistics.corrections} - {
                number("Heuristic", "HEURISTIC_MANHATTAN")
            }
            wanted = {*added, heuristic} - {"MANHATTAN", "UNSPECIFIED"}
            self.assertEqual(used, {number("Heuristic", f"HEURISTIC_{name}") for name in wanted})
            thresholds = [iteration.threshold for iteration in statistics.thresholds]
            self.assertEqual(thresholds, sorted(set(thresholds)))
            self.assertEqual((len(thresholds), thresholds[-1]), (statistics.iterations, 31))
            self.assertEqual(
                sum(iteration.nodes_generated for iteration in statistics.thresholds),
                statistics.nodes_generated,
            )

    def test_lengths_are_in_the_metric_asked_for(self):
        board = self.client.board([8, 6, 7, 2, 5, 4, 3, 0, 1])
        multi_tile = self.client.value("Metric", "METRIC_MULTI_TILE")
        solution = self.client.Solve(
            self.client.solve_request(board, "OPTIMAL", metric=multi_tile)
        ).solution
        self.assert_solved(board, solution.moves)
        pushes = sum(1 for _ in itertools.groupby(solution.moves))
        self.assertEqual((solution.length, solution.lower_bound, pushes), (20, 20, 20))
        self.assertTrue(solution.optimal)

    def test_every_goal(self):
        start = [1, 2, 3, 8, 4, 0, 7, 6, 5]
        for layout, goal in (
            ("ROWS_BLANK_LAST", [1, 2, 3, 4, 5, 6, 7, 8, 0]),
            ("ROWS_BLANK_FIRST", [0, 1, 2, 3, 4, 5, 6, 7, 8]),
            ("COLUMNS_BLANK_LAST", [1, 4, 7, 2, 5, 8, 3, 6, 0]),
            ("SNAIL", [1, 2, 3, 8, 0, 4, 7, 6, 5]),
            ("SNAKE", [1, 2, 3, 6, 5, 4, 7, 8, 0]),
        ):
            number = self.client.value("GoalLayout", f"GOAL_LAYOUT_{layout}")
            named = self.client.message("Goal", layout=number)
            spelled = self.client.message("Goal", board=self.client.board(goal))
            board = self.client.board(start)
            answers = []
            for wanted in (named, spelled):
                check = self.client.message("CheckSolvableRequest", board=board, goal=wanted)
                answer = self.client.CheckSolvable(check)
                if not answer.solvable:
                    tiles = list(start)
                    one, two = answer.repair.first_cell, answer.repair.second_cell
                    self.assertEqual(
                        (tiles[one], tiles[two]),
                        (answer.repair.first_tile, answer.repair.second_tile),
                    )
                    tiles[one], tiles[two] = tiles[two], tiles[one]
                    board = self.client.board(tiles)
                solution = self.client.Solve(
                    self.client.solve_request(board, "OPTIMAL", goal=wanted)
                ).solution
                self.assert_solved(board, solution.moves, goal)
                answers.append(solution.length)
            self.assertEqual(answers[0], answers[1], layout)

    def test_solve_stream(self):
        board = self.client.boards(5)[0]
        request = self.client.stream_request(board, moves_per_message=10)
        request.solve.limits.max_time.FromMilliseconds(2000)
        request.progress_interval.FromMilliseconds(50)
        moves, revision, lengths, kinds = {}, 0, {}, []
        for event in self.client.SolveStream(request):
            kind = event.WhichOneof("event")
            kinds.append(kind)
            if kind == "improvement":
                # A revision that was improved before it could be sent is left out.
                self.assertGreater(event.improvement.revision, revision)
                revision = event.improvement.revision
                lengths[revision] = event.improvement.length
            elif kind == "moves":
                self.assertEqual(event.moves.revision, revision)
                self.assertLessEqual(len(event.moves.moves), 10)
                sent = moves.setdefault(revision, [])
                self.assertEqual(event.moves.first, len(sent))
                sent.extend(event.moves.moves)
        summary = event.summary
        self.assertEqual((kinds.count("summary"), kinds[-1]), (1, "summary"))
        self.assertIn("progress", kinds)
        self.assertEqual(summary.revision, revision)
        self.assertEqual(summary.solution.length, len(moves[revision]))
        self.assertLessEqual(summary.solution.lower_bound, summary.solution.length)
        for revision, sent in moves.items():
            if lengths[revision] in (0, len(sent)):
                self.assert_solved(board, sent)

    def test_solve_stream_with_final_only_sends_one_solution(self):
        board = self.client.boards(4)[0]
        events = list(self.client.SolveStream(self.client.stream_request(board, final_only=True)))
        summary = events[-1].summary
        chunks = [event.moves for event in events if event.WhichOneof("event") == "moves"]
        self.assertEqual({chunk.revision for chunk in chunks}, {summary.revision})
        self.assert_solved(board, [move for chunk in chunks for move in chunk.moves])

    def test_a_large_board_sends_its_first_moves_early(self):
        board = self.client.boards(100)[0]
        request = self.client.stream_request(board, "FAST")
        moves = []
        for event in self.client.SolveStream(request, timeout=20):
            if event.WhichOneof("event") == "moves":
                moves.extend(event.moves.moves)
        self.assertEqual(event.summary.solution.length, len(moves))
        self.assert_solved(board, moves)

    def test_check_solvable(self):
        board = self.client.board([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 14, 0])
        answer = self.client.CheckSolvable(
            self.client.message("CheckSolvableRequest", board=board)
        )
        self.assertFalse(answer.solvable)
        self.assertFalse(answer.already_solved)
        self.assertEqual(answer.parity.inversions, 1)
        self.assertEqual(answer.parity.interchanges, 1)
        self.assertEqual([list(cycle.tiles) for cycle in answer.parity.cycles], [[14, 15]])
        self.assertEqual(answer.parity.blank_distance, 0)
        self.assertEqual(answer.parity.blank_row_from_bottom, 1)

        largest = self.client.boards(128)[0]
        answer = self.client.CheckSolvable(
            self.client.message("CheckSolvableRequest", board=largest)
        )
        self.assertTrue(answer.solvable)
        self.assertFalse(answer.HasField("repair"))

    def test_generate_is_reproducible(self):
        request = self.client.message("GenerateRequest", rows=4, columns=5, count=20, seed=7)
        first, second = self.client.Generate(request), self.client.Generate(request)
        self.assertEqual(first, second)
        self.assertEqual(first.seed, 7)
        self.assertEqual(len({tuple(made.board.tiles) for made in first.boards}), 20)
        for made in first.boards:
            request.count, request.seed = 1, made.seed
            self.assertEqual(self.client.Generate(request).boards[0].board, made.board)

        request.ClearField("seed")
        self.assertNotEqual(self.client.Generate(request).seed, self.client.Generate(request).seed)

    def test_generate_by_solvability_scramble_and_difficulty(self):
        message = self.client.message
        unsolvable = message(
            "GenerateRequest",
            rows=3,
            count=50,
            seed=1,
            solvability=self.client.value("Solvability", "SOLVABILITY_UNSOLVABLE"),
        )
        for made in self.client.Generate(unsolvable).boards:
            check = message("CheckSolvableRequest", board=made.board)
            self.assertFalse(self.client.CheckSolvable(check).solvable)

        scramble = message("GenerateRequest", rows=4, seed=1, scramble=message("Scramble", moves=9))
        board = self.client.Generate(scramble).boards[0].board
        solution = self.client.Solve(self.client.solve_request(board, "OPTIMAL")).solution
        self.assertLessEqual(solution.length, 9)
        self.assertEqual(solution.length % 2, 1)

        hard = message(
            "GenerateRequest",
            rows=3,
            count=5,
            seed=1,
            difficulty=message("Difficulty", min_moves=24, max_moves=26),
        )
        for made in self.client.Generate(hard).boards:
            self.assertIn(made.optimal_length, (24, 25, 26))
            solution = self.client.Solve(self.client.solve_request(made.board, "OPTIMAL")).solution
            self.assertEqual(solution.length, made.optimal_length)
            self.assertEqual(made.solution.length, made.optimal_length)
            self.assert_solved(made.board, made.solution.moves)

    def test_gzip_is_accepted(self):
        with Client(self.server.address, grpc.Compression.Gzip) as client:
            board = client.boards(10)[0]
            solution = client.Solve(client.solve_request(board, "FAST")).solution
            self.assert_solved(board, solution.moves)

    def test_health_is_told_for_the_process_and_the_service(self):
        health = health_pb2_grpc.HealthStub(self.client.channel)
        for service in ("", SERVICE):
            answer = health.Check(health_pb2.HealthCheckRequest(service=service))
            self.assertEqual(answer.status, health_pb2.HealthCheckResponse.SERVING)
        refusal = self.refusal(health.Check, health_pb2.HealthCheckRequest(service="chess"))
        self.assertEqual(refusal.code, grpc.StatusCode.NOT_FOUND)
        watch = health.Watch(health_pb2.HealthCheckRequest(service="chess"))
        self.assertEqual(next(watch).status, health_pb2.HealthCheckResponse.SERVICE_UNKNOWN)
        watch.cancel()

    def test_reflection_speaks_both_versions(self):
        for version in ("v1", "v1alpha"):
            call = self.client.channel.stream_stream(
                f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo",
                request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
                response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
            )
            question = reflection_pb2.ServerReflectionRequest(list_services="")
            answer = next(call(iter([question])))
            names = {service.name for service in answer.list_services_response.service}
            self.assertLessEqual({SERVICE, "grpc.health.v1.Health"}, names, version)

    def test_a_request_id_comes_back_and_into_the_log(self):
        # Characters that JSON strings must escape must not break the line.
        sent_id = 'system "test" \\1'
        board = self.client.board([1, 2, 0, 3])
        request = self.client.message("CheckSolvableRequest", board=board)
        _, call = self.client.CheckSolvable.with_call(
            request, metadata=[("x-request-id", sent_id)]
        )
        sent = dict(call.initial_metadata()) | dict(call.trailing_metadata())
        self.assertEqual(sent.get("x-request-id"), sent_id)
        self.server.wait_for_line(lambda line: sent_id in line.values(), "the request's id")
        logged = [line for line in self.server.lines if sent_id in line.values()]
        self.assertEqual(len(logged), 1)

    def test_metrics_are_what_prometheus_expects(self):
        self.client.Solve(self.client.solve_request([1, 2, 3, 4, 5, 6, 0, 7, 8]))
        url = f"http://127.0.0.1:{self.server.metrics_port}/metrics"
        with urllib.request.urlopen(url, timeout=5) as response:
            text = response.read()
        command = [os.environ["PROMTOOL"], "check", "metrics"]
        lint = subprocess.run(command, input=text, capture_output=True)
        self.assertEqual((lint.returncode, lint.stderr), (0, b""))

    def test_metrics_count_the_calls(self):
        started = 'loyd_requests_started_total{method="CheckSolvable"}'
        before = self.server.metrics().get(started, 0)
        board = self.client.board([1, 2, 0, 3])
        self.client.CheckSolvable(self.client.message("CheckSolvableRequest", board=board))
        metrics = self.server.metrics()
        self.assertEqual(metrics[started], before + 1)
        self.assertEqual(metrics["loyd_searches_running"], 0)
