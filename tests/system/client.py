"""A client that knows loyd only through the server's reflection."""

from urllib.parse import unquote

import grpc
from google.protobuf import descriptor_pool, message_factory
from google.rpc import error_details_pb2, status_pb2
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)

SERVICE = "loyd.v1.PuzzleService"

UP, DOWN, LEFT, RIGHT = 1, 2, 3, 4


class Client:
    """A channel, with a method for each call and a class for each message of the service."""

    def __init__(self, address, compression=None, credentials=None):
        options = [
            # Each client has its own connection, and sees every answer of the server unchanged.
            ("grpc.use_local_subchannel_pool", 1),
            ("grpc.enable_retries", 0),
            ("grpc.max_receive_message_length", 64 << 20),
        ]
        if credentials is None:
            self.channel = grpc.insecure_channel(address, options, compression)
        else:
            self.channel = grpc.secure_channel(address, credentials, options, compression)
        pool = descriptor_pool.DescriptorPool(ProtoReflectionDescriptorDatabase(self.channel))
        self._pool = pool
        self.service = pool.FindServiceByName(SERVICE)
        for method in self.service.methods:
            setattr(self, method.name, self._call(method))

    def _call(self, method):
        make = (
            self.channel.unary_stream if method.server_streaming else self.channel.unary_unary
        )
        return make(
            f"/{SERVICE}/{method.name}",
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=message_factory.GetMessageClass(
                method.output_type
            ).FromString,
        )

    def raw(self, method):
        """A call that sends bytes as they are."""
        return self.channel.unary_unary(f"/{SERVICE}/{method}")

    def message(self, name, /, **fields):
        descriptor = self._pool.FindMessageTypeByName(f"loyd.v1.{name}")
        return message_factory.GetMessageClass(descriptor)(**fields)

    def value(self, enumeration, name):
        return self._pool.FindEnumTypeByName(f"loyd.v1.{enumeration}").values_by_name[name].number

    def objective(self, name):
        return self.value("Objective", f"OBJECTIVE_{name}")

    def board(self, tiles, rows=0, columns=0):
        return self.message("Board", rows=rows, columns=columns, tiles=tiles)

    def solve_request(self, board, objective="BEST", **fields):
        if not hasattr(board, "tiles"):
            board = self.board(board)
        return self.message(
            "SolveRequest", board=board, objective=self.objective(objective), **fields
        )

    def stream_request(self, board, objective="BEST", solve=None, **fields):
        solve = self.solve_request(board, objective, **(solve or {}))
        return self.message("SolveStreamRequest", solve=solve, **fields)

    def boards(self, rows, columns=0, count=1, seed=1):
        """Random solvable boards, all different."""
        request = self.message(
            "GenerateRequest", rows=rows, columns=columns, count=count, seed=seed
        )
        return [generated.board for generated in self.Generate(request).boards]

    def close(self):
        self.channel.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Refusal:
    """What a failed call says, with its details decoded."""

    def __init__(self, call):
        self.code = call.code()
        self.message = call.details()
        self.trailers = dict(call.trailing_metadata() or ())
        self.info = self.bad_request = self.retry = None
        status = status_pb2.Status()
        if "grpc-status-details-bin" in self.trailers:
            status.ParseFromString(self.trailers["grpc-status-details-bin"])
            # Where the client's own deadline comes at that moment, grpcio leaves the message as it was on the wire.
            if self.code is grpc.StatusCode.DEADLINE_EXCEEDED:
                self.message = unquote(self.message)
            assert (status.code, status.message) == (self.code.value[0], self.message), self.message
        for detail in status.details:
            for attribute, kind in (
                ("info", error_details_pb2.ErrorInfo),
                ("bad_request", error_details_pb2.BadRequest),
                ("retry", error_details_pb2.RetryInfo),
            ):
                message = kind()
                if detail.Unpack(message):
                    setattr(self, attribute, message)

    @property
    def reason(self):
        return self.info.reason if self.info else None

    @property
    def fields(self):
        return {violation.field for violation in self.bad_request.field_violations}


def replay(board, moves):
    """The tiles after the moves. Raises when a move runs into the edge."""
    tiles = list(board.tiles)
    columns = board.columns or int(len(tiles) ** 0.5)
    blank = tiles.index(0)
    for move in moves:
        # The tile moves in this direction, so it comes from the other side of the blank.
        if move == LEFT and blank % columns < columns - 1:
            source = blank + 1
        elif move == RIGHT and blank % columns > 0:
            source = blank - 1
        elif move == UP and blank + columns < len(tiles):
            source = blank + columns
        elif move == DOWN and blank >= columns:
            source = blank - columns
        else:
            raise AssertionError(f"move {move} cannot be made with the blank on {blank}")
        tiles[blank], tiles[source] = tiles[source], 0
        blank = source
    return tiles


def solved(cells):
    return [*range(1, cells), 0]
