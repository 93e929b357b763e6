"""The parts that the receivers in Python share. Standard library only."""

import hashlib
import hmac
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def signature_of(key: bytes, message: bytes) -> bytes:
    return ("sha256=" + hmac.new(key, message, hashlib.sha256).hexdigest()).encode()


class Handler(BaseHTTPRequestHandler):
    """Calls `receive` of a subclass for any method."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = lambda self: self.receive()

    def raw_body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length", "0")))

    def answer(self, status: int, content: object, **headers: str):
        body = json.dumps(content).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *args):
        pass


def serve(handler: type[Handler]):
    """Serves at a free port, which it prints."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    print(server.server_port, flush=True)
    server.serve_forever()
