"""Signs events as the specification says, with what Python brings along, and prints what came back.

Reads {"url", "secret", "now", "requests": [{...}]} from stdin, writes one JSON list to stdout. A request
may replace the body, the signed body, the timestamp, headers, the path or the method.
"""

import hashlib
import hmac
import http.client
import json
import sys
import urllib.parse

job = json.load(sys.stdin)
url = urllib.parse.urlsplit(job["url"])


def sign(secret, timestamp, body):
    message = timestamp.encode() + b"." + body
    return "sha256=" + hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()


answers = []
connection = http.client.HTTPConnection(url.hostname, url.port, timeout=20)
for request in job["requests"]:
    body = request.get("body", '{"event": "order.created", "data": {"name": "Zoë"}}').encode()
    timestamp = request.get("timestamp", str(job["now"]))
    signed = request.get("signedBody")
    headers = {
        "Content-Type": "application/json",
        "x-service-timestamp": timestamp,
        "x-service-signature": sign(job["secret"], timestamp, body if signed is None else signed.encode()),
    }
    for name, value in request.get("headers", {}).items():
        if value is None:
            del headers[name]
        else:
            headers[name] = value
    connection.request(request.get("method", "POST"), request.get("path", url.path), body, headers)
    response = connection.getresponse()
    answers.append([response.status, json.loads(response.read())])
connection.close()
json.dump(answers, sys.stdout)
