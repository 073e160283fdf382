"""Every row of the table of errors, with its details decoded."""

import math
import threading

import grpc
from case import Case

Code = grpc.StatusCode


class Illegal(Case):
    """INVALID_ARGUMENT names every violated field at once."""

    def test_solve_names_all_fields(self):
        request = self.client.message("SolveRequest")
        request.board.rows = request.board.columns = 3
        request.board.tiles.extend([1, 1, 99, 3, 4, 5, 6, 7, 0])
        request.goal.layout = 77
        request.objective = 42
        request.limits.max_nodes = 0
        request.limits.max_time.seconds = -1
        request.limits.max_memory_bytes = 5
        request.method.algorithm = 99
        request.method.heuristic = -1
        request.method.weight = math.nan
        request.metric = 9
        fields = {
            "board.tiles",
            "board.tiles[1]",
            "board.tiles[2]",
            "goal.layout",
            "objective",
            "limits.max_nodes",
            "limits.max_time",
            "limits.max_memory_bytes",
            "method.algorithm",
            "method.heuristic",
            "method.weight",
            "metric",
        }
        refusal = self.assert_refused(
            Code.INVALID_ARGUMENT, "INVALID_REQUEST", self.client.Solve, request
        )
        self.assertEqual(refusal.fields, fields)
        for violation in refusal.bad_request.field_violations:
            self.assertNotEqual(violation.description, "")

        stream = self.client.message("SolveStreamRequest", solve=request, moves_per_message=70000)
        stream.progress_interval.nanos = 1000
        refusal = self.assert_refused(
            Code.INVALID_ARGUMENT, "INVALID_REQUEST", self.client.SolveStream, stream
        )
        self.assertEqual(
            refusal.fields,
            {f"solve.{field}" for field in fields} | {"moves_per_message", "progress_interval"},
        )

    def test_what_is_required_is_named(self):
        for method, request, field in (
            ("Solve", "SolveRequest", "board"),
            ("SolveStream", "SolveStreamRequest", "solve"),
            ("CheckSolvable", "CheckSolvableRequest", "board"),
            ("Generate", "GenerateRequest", "rows"),
        ):
            refusal = self.assert_refused(
                Code.INVALID_ARGUMENT,
                "INVALID_REQUEST",
                getattr(self.client, method),
                self.client.message(request),
            )
            self.assertIn(field, refusal.fields)

    def test_boards_and_goals_must_fit(self):
        board = self.client.board
        for rows, columns, tiles in (
            (0, 0, [1, 2, 3]),
            (1, 4, [1, 2, 3, 0]),
            (2, 129, list(range(258))),
            (3, 3, [1, 2, 3, 0]),
            (2**32 - 1, 2**32 - 1, [1, 2, 3, 0]),
            (0, 0, [0, 0, 0, 0]),
            (0, 0, []),
        ):
            request = self.client.message(
                "CheckSolvableRequest", board=board(tiles, rows, columns)
            )
            refusal = self.assert_refused(
                Code.INVALID_ARGUMENT, "INVALID_REQUEST", self.client.CheckSolvable, request
            )
            for field in refusal.fields:
                self.assertTrue(field.startswith("board"), field)

        goal = self.client.message("Goal", board=board([1, 2, 3, 4, 5, 6, 7, 8, 0]))
        request = self.client.message(
            "CheckSolvableRequest", board=board([1, 2, 3, 0]), goal=goal
        )
        refusal = self.assert_refused(
            Code.INVALID_ARGUMENT, "INVALID_REQUEST", self.client.CheckSolvable, request
        )
        self.assertEqual(refusal.fields, {"goal.board"})

    def test_options_must_suit_each_other(self):
        method = self.client.message
        number = self.client.value
        for objective, fields, named in (
            ("BOUNDED", {"max_ratio": math.nan}, "max_ratio"),
            ("BOUNDED", {"max_ratio": math.inf}, "max_ratio"),
            ("BOUNDED", {"max_ratio": 0.5}, "max_ratio"),
            ("BOUNDED", {}, "max_ratio"),
            ("BEST", {"max_ratio": 2.0}, "max_ratio"),
            (
                "BEST",
                {
                    "metric": number("Metric", "METRIC_MULTI_TILE"),
                    "method": method("Method", algorithm=number("Algorithm", "ALGORITHM_A_STAR")),
                },
                "method.algorithm",
            ),
            (
                "OPTIMAL",
                {"method": method("Method", algorithm=number("Algorithm", "ALGORITHM_CONSTRUCTIVE"))},
                "method.algorithm",
            ),
            (
                "BEST",
                {"method": method("Method", algorithm=number("Algorithm", "ALGORITHM_TABLE_WALK"))},
                "method.algorithm",
            ),
            (
                "BEST",
                {
                    "method": method(
                        "Method", algorithm=number("Algorithm", "ALGORITHM_A_STAR"), weight=3
                    )
                },
                "method.weight",
            ),
            (
                "BEST",
                {
                    "method": method(
                        "Method",
                        algorithm=number("Algorithm", "ALGORITHM_IDA_STAR"),
                        heuristic=number("Heuristic", "HEURISTIC_HAMMING"),
                        corrections=[number("Heuristic", "HEURISTIC_LAST_MOVES")],
                    )
                },
                "method.corrections",
            ),
            (
                "OPTIMAL",
                {
                    "metric": number("Metric", "METRIC_MULTI_TILE"),
                    "method": method(
                        "Method",
                        algorithm=number("Algorithm", "ALGORITHM_IDA_STAR"),
                        heuristic=number("Heuristic", "HEURISTIC_MANHATTAN"),
                    ),
                },
                "method.heuristic",
            ),
        ):
            request = self.client.solve_request([1, 2, 3, 4, 5, 6, 0, 7, 8], objective, **fields)
            refusal = self.assert_refused(
                Code.INVALID_ARGUMENT, "INVALID_REQUEST", self.client.Solve, request
            )
            self.assertEqual(refusal.fields, {named}, objective)

    def test_generate_names_its_fields(self):
        message = self.client.message
        for fields, named in (
            ({"rows": 1, "columns": 3}, "rows"),
            ({"rows": 3, "columns": 129}, "columns"),
            ({"rows": 3, "count": 1001}, "count"),
            ({"rows": 128, "count": 1000}, "count"),
            ({"rows": 3, "scramble": message("Scramble", moves=1_000_001)}, "scramble.moves"),
            ({"rows": 3, "solvability": 7}, "solvability"),
            (
                {"rows": 3, "difficulty": message("Difficulty", min_moves=9, max_moves=8)},
                "difficulty.max_moves",
            ),
        ):
            refusal = self.assert_refused(
                Code.INVALID_ARGUMENT,
                "INVALID_REQUEST",
                self.client.Generate,
                message("GenerateRequest", **fields),
            )
            self.assertEqual(refusal.fields, {named})

    def test_an_impossible_difficulty_says_what_is_possible(self):
        difficulty = self.client.message("Difficulty", min_moves=40, max_moves=50)
        request = self.client.message("GenerateRequest", rows=3, difficulty=difficulty)
        refusal = self.assert_refused(
            Code.INVALID_ARGUMENT, "INVALID_REQUEST", self.client.Generate, request
        )
        (violation,) = refusal.bad_request.field_violations
        self.assertIn("31", violation.description)


class Refused(Case):
    """Valid requests that still get no answer."""

    def hopeless(self, **fields):
        board = self.client.boards(5)[0]
        return self.client.solve_request(board, "OPTIMAL", **fields)

    def test_unsolvable_comes_with_the_evidence(self):
        board = self.client.board([1, 2, 3, 4, 5, 6, 8, 7, 0])
        check = self.client.message("CheckSolvableRequest", board=board)
        parity = self.client.CheckSolvable(check).parity
        for call, request in (
            (self.client.Solve, self.client.solve_request(board)),
            (self.client.SolveStream, self.client.stream_request(board)),
        ):
            refusal = self.assert_refused(Code.FAILED_PRECONDITION, "UNSOLVABLE", call, request)
            for key in ("inversions", "interchanges", "blank_distance", "blank_row_from_bottom"):
                self.assertEqual(refusal.info.metadata[key], str(getattr(parity, key)))

    def test_limits(self):
        limits = self.client.message
        a_star = self.client.message(
            "Method", algorithm=self.client.value("Algorithm", "ALGORITHM_A_STAR")
        )
        short = limits("Limits")
        short.max_time.FromMilliseconds(100)
        for reason, fields in (
            ("NODE_LIMIT", {"limits": limits("Limits", max_nodes=1_000_000)}),
            ("TIME_LIMIT", {"limits": short}),
            (
                "MEMORY_LIMIT",
                {"limits": limits("Limits", max_memory_bytes=4 << 20), "method": a_star},
            ),
        ):
            request = self.hopeless(**fields)
            bounded = self.client.message("SolveRequest")
            bounded.CopyFrom(request)
            bounded.objective = self.client.objective("BOUNDED")
            bounded.max_ratio = 1.001
            stream = self.client.message("SolveStreamRequest", solve=request)
            for call, question in (
                (self.client.Solve, request),
                (self.client.Solve, bounded),
                (self.client.SolveStream, stream),
            ):
                refusal = self.assert_refused(
                    Code.RESOURCE_EXHAUSTED, reason, call, question, timeout=20
                )
                metadata = refusal.info.metadata
                self.assertGreater(int(metadata["lower_bound"]), 0)
                self.assertGreater(int(metadata["nodes_generated"]), 0)
                if reason == "NODE_LIMIT":
                    # A slice is a few milliseconds; a tenth of the limit is more than that.
                    self.assertLess(int(metadata["nodes_generated"]), 1_100_000)

    def test_best_never_fails_for_a_limit(self):
        board = self.client.boards(5)[0]
        for fields in (
            {"max_nodes": 1},
            {"max_memory_bytes": 1 << 20},
        ):
            limits = self.client.message("Limits", **fields)
            limits.max_time.FromMilliseconds(200)
            response = self.client.Solve(self.client.solve_request(board, limits=limits))
            self.assert_solved(board, response.solution.moves)

    def test_the_deadline(self):
        request = self.hopeless()
        stream = self.client.message("SolveStreamRequest", solve=request)
        for name, question in (("Solve", request), ("SolveStream", stream)):
            self.assert_deadline_kept(name, question, timeout=0.3)

    def test_cancelled(self):
        before = self.handled("Solve", "CANCELLED")
        call = self.client.Solve.future(self.hopeless())
        threading.Timer(0.1, call.cancel).start()
        with self.assertRaises(grpc.FutureCancelledError):
            call.result()
        self.assertEqual(call.code(), Code.CANCELLED)
        # The client says this by itself, so ask the server.
        self.wait_until(
            lambda: self.handled("Solve", "CANCELLED") == before + 1, "the cancel does not arrive"
        )

    def test_too_large_a_response(self):
        board = self.client.boards(40)[0]
        include = self.client.message("Include", boards=True)
        request = self.client.solve_request(board, "FAST", include=include)
        refusal = self.assert_refused(
            Code.RESOURCE_EXHAUSTED, "RESPONSE_TOO_LARGE", self.client.Solve, request, timeout=20
        )
        self.assertIn("SolveStream", refusal.message)

        stream = self.client.message("SolveStreamRequest", solve=request)
        boards = 0
        for event in self.client.SolveStream(stream, timeout=60):
            if event.WhichOneof("event") == "moves":
                boards += len(event.moves.boards)
        self.assertEqual(event.summary.solution.length, boards)

    def test_an_unknown_method(self):
        refusal = self.refusal(self.client.raw("Checkmate"), b"")
        self.assertEqual(refusal.code, Code.UNIMPLEMENTED)


class Overloaded(Case):
    flags = ("--workers=1", "--queue=2")

    def setUp(self):
        # What an earlier test cancelled may not be gone yet.
        self.wait_until(lambda: self.searches() == 0, "searches do not end")

    def test_a_full_queue_says_when_to_come_back(self):
        boards = self.client.boards(5, count=3)
        requests = [self.client.solve_request(board, "OPTIMAL") for board in boards]
        holding = [self.client.Solve.future(request) for request in requests[:2]]
        self.addCleanup(lambda: [call.cancel() for call in holding])
        self.wait_until(lambda: self.searches() == 2, "searches do not begin")
        counted = 'loyd_overloaded_total{lack="queue"}'
        before = self.server.metrics().get(counted, 0)
        for call, request in (
            (self.client.Solve, requests[2]),
            (self.client.Solve, self.searched()),
            (
                self.client.SolveStream,
                self.client.message("SolveStreamRequest", solve=requests[2]),
            ),
        ):
            refusal = self.assert_refused(Code.RESOURCE_EXHAUSTED, "OVERLOADED", call, request)
            milliseconds = int(refusal.trailers["grpc-retry-pushback-ms"])
            self.assertGreater(milliseconds, 0)
            self.assertEqual(refusal.retry.retry_delay.ToMilliseconds(), milliseconds)
        self.assertEqual(self.server.metrics()[counted], before + 3)

        check = self.client.message("CheckSolvableRequest", board=boards[2])
        self.assertTrue(self.client.CheckSolvable(check).solvable, "needs no place in the queue")
        for call in holding:
            call.cancel()
        self.wait_until(lambda: self.searches() == 0, "the cancels do not arrive")
        self.assertEqual(self.client.Solve(self.searched()).solution.length, 2)

    def test_a_deadline_in_the_queue(self):
        boards = self.client.boards(5, count=2, seed=2)
        running = self.client.Solve.future(self.client.solve_request(boards[0], "OPTIMAL"))
        request = self.client.solve_request(boards[1], "OPTIMAL")
        self.assert_deadline_kept("Solve", request, timeout=0.2)
        running.cancel()
