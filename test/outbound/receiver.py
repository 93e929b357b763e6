"""An external system in Python's standard library: verifies the signature of each request, and says what came.

Argument: the signing secret. Prints its port. Any method and path; answers 200 when the signature is that of
the bytes received and the timestamp is of the last five minutes, else 401, with what it saw as JSON.
"""

import base64
import hashlib
import hmac
import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = sys.argv[1].encode()


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def receive(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        timestamp = self.headers.get("x-service-timestamp", "")
        given = self.headers.get("x-service-signature", "")
        digest = hmac.new(SECRET, timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
        fresh = timestamp.isdigit() and abs(time.time() * 1000 - int(timestamp)) <= 300000
        verified = fresh and hmac.compare_digest("sha256=" + digest, given)
        seen = {
            "verified": verified,
            "method": self.command,
            "target": self.path,
            "headers": [[name.lower(), value] for name, value in self.headers.items()],
            "body": base64.b64encode(body).decode(),
        }
        answer = json.dumps(seen).encode()
        self.send_response(200 if verified else 401)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = receive

    def log_message(self, format, *args):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
server.daemon_threads = True
print(server.server_port, flush=True)
server.serve_forever()
