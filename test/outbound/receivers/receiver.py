"""An external system in Python's standard library: verifies the signature of each request, and says what came.

Argument: the signing secret. Prints its port. Any method and path; answers 200 when the signature is that of
the bytes received and the timestamp is of the last five minutes, else 401, with what it saw as JSON.
"""

import base64
import hmac
import sys
import time

from serving import Handler, serve, signature_of

SECRET = sys.argv[1].encode()


class Receiver(Handler):
    def receive(self):
        body = self.raw_body()
        timestamp = self.headers.get("x-service-timestamp", "")
        given = self.headers.get("x-service-signature", "")
        expected = signature_of(SECRET, timestamp.encode() + b"." + body)
        fresh = timestamp.isdigit() and abs(time.time() * 1000 - int(timestamp)) <= 300000
        verified = fresh and hmac.compare_digest(expected, given.encode())
        seen = {
            "verified": verified,
            "method": self.command,
            "target": self.path,
            "headers": [[name.lower(), value] for name, value in self.headers.items()],
            "body": base64.b64encode(body).decode(),
        }
        self.answer(200 if verified else 401, seen)


serve(Receiver)
