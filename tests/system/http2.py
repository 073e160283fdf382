"""HTTP/2 frame by frame, for what no library sends."""

import socket
import struct
import threading
import time

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)

END_STREAM = 0x1
END_HEADERS = 0x4

INITIAL_WINDOW_SIZE = 4


def frame(kind, flags=0, stream=0, payload=b""):
    return struct.pack("!I", len(payload))[1:] + struct.pack("!BBI", kind, flags, stream) + payload


def setting(name, value):
    return struct.pack("!HI", name, value)


def number(value, bits, first=0):
    """A number as HPACK encodes it."""
    most = (1 << bits) - 1
    if value < most:
        return bytes([first | value])
    coded = [first | most]
    value -= most
    while value >= 0x80:
        coded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*coded, value])


def header(name, value):
    """A header that is not stored in the table."""
    name, value = name.encode(), value.encode()
    return b"\x00" + number(len(name), 7) + name + number(len(value), 7) + value


def headers(stream, block, flags=0):
    """The frames of a block of headers of any size."""
    parts = [block[i : i + 16_000] for i in range(0, len(block), 16_000)]
    kinds = [HEADERS] + [CONTINUATION] * (len(parts) - 1)
    all_flags = [flags] + [0] * (len(parts) - 1)
    all_flags[-1] |= END_HEADERS
    return b"".join(frame(kind, flags, stream, part) for kind, flags, part in zip(kinds, all_flags, parts))


def call(method, service="loyd.v1.PuzzleService", **more):
    """The headers of a call."""
    path = f"/{service}/{method}"
    own = {":method": "POST", ":scheme": "http", ":path": path, ":authority": "loyd"}
    rest = {"content-type": "application/grpc", "te": "trailers", **more}
    return b"".join(header(*pair) for pair in (own | rest).items())


def message(data):
    """A message in its gRPC frame."""
    return b"\x00" + struct.pack("!I", len(data)) + data


class Connection:
    """A connection that has sent the HTTP/2 preface. Reads everything that comes in the background."""

    def __init__(self, address, settings=b"", context=None):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), timeout=20)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.frames = []
        self._ended = threading.Event()
        self.socket.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS, payload=settings))
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        rest = b""
        try:
            while data := self.socket.recv(1 << 16):
                rest += data
                while len(rest) >= 9 and len(rest) >= 9 + int.from_bytes(rest[:3], "big"):
                    length = int.from_bytes(rest[:3], "big")
                    kind, flags, stream = struct.unpack("!BBI", rest[3:9])
                    # Acknowledgements of floods are not worth keeping.
                    if kind not in (PING, SETTINGS):
                        self.frames.append((kind, flags, stream, rest[9 : 9 + length]))
                    rest = rest[9 + length :]
        except OSError:
            pass
        self._ended.set()

    def send(self, data):
        """Returns False when the other end has closed the connection."""
        try:
            self.socket.sendall(data)
        except OSError:
            return False
        return not self._ended.is_set()

    def flood(self, data, seconds):
        """Sends this again and again. Returns True when the other end stops it in time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if not self.send(data):
                return True
        return False

    def closed_within(self, seconds):
        return self._ended.wait(seconds)

    def wait_for(self, found, seconds):
        """The first frame that matches, in time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if match := next((one for one in list(self.frames) if found(*one)), None):
                return match
            time.sleep(0.01)
        raise AssertionError(f"not in time; what came: {self.frames[-5:]}")

    def close(self):
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._reader.join(5)
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
