"""A receiver in Python's standard library that makes the mistake which its path names: `/no_window`.

Arguments: the signing secret, and the secret before it. Prints its port. `/right` makes no mistake.
"""

import base64
import hmac
import json
import re
import sys
import time

from serving import Handler, serve, signature_of

SECRET, OLD_SECRET = sys.argv[1], sys.argv[2]


def key_of(mistake: str, secret: str) -> bytes:
    if mistake == "prefix_stripped":
        return secret.removeprefix("whsec_").encode()
    if mistake == "key_decoded":
        return base64.urlsafe_b64decode(secret.removeprefix("whsec_") + "=")
    return secret.encode()


def is_recent(mistake: str, timestamp: str) -> bool:
    if not re.fullmatch("[0-9]{1,15}", timestamp):
        return False
    age = time.time() * 1000 - int(timestamp)
    if mistake == "no_window":
        return True
    if mistake == "seconds":
        return abs(time.time() - int(timestamp)) <= 300
    if mistake == "no_absolute":
        return age <= 300_000
    return abs(age) <= 300_000


def message_of(mistake: str, timestamp: str, body: bytes) -> bytes:
    if mistake == "compared_after_parsing":
        body = json.dumps(json.loads(body)).encode()
    elif mistake == "not_raw":
        body = body.decode().strip().encode()
    elif mistake == "body_alone":
        return body
    return timestamp.encode() + b"." + body


class Receiver(Handler):
    def receive(self):
        mistake = self.path.strip("/").partition("?")[0]
        body = self.raw_body()
        if mistake == "redirect":
            return self.answer(301, {}, Location="/elsewhere")
        if mistake == "time_out":
            return time.sleep(600)
        if not self.is_genuine(mistake, body):
            return self.answer(200 if mistake == "ok_for_wrong" else 401, {"ok": False})
        try:
            json.loads(body or b"{}")
        except ValueError:
            return self.answer(500 if mistake == "crashes" else 400, {"ok": False})
        self.answer(200, {"ok": True})

    def is_genuine(self, mistake: str, body: bytes) -> bool:
        timestamp = self.headers.get("x-service-timestamp")
        signature = self.headers.get("x-service-signature")
        if mistake == "case_sensitive":
            named = dict(self.headers.items())
            timestamp = named.get("x-service-timestamp")
            signature = named.get("x-service-signature")
        if mistake == "missing_accepted" and (timestamp is None or signature is None):
            return True
        if timestamp is None or signature is None or not is_recent(mistake, timestamp):
            return False
        if mistake == "empty_accepted" and signature == "":
            return True
        try:
            message = message_of(mistake, timestamp, body)
        except ValueError:
            return False
        secrets = [SECRET, OLD_SECRET] if mistake == "old_secret" else [SECRET]
        return any(
            hmac.compare_digest(signature_of(key_of(mistake, secret), message), signature.encode())
            for secret in secrets
        )


serve(Receiver)
