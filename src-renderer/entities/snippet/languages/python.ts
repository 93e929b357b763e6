import { retryRule } from '#shared/errors/retry-rule.ts'
import { eventBody } from '../event-body.ts'
import { quote } from '../quote.ts'
import type { Changes, LanguageSnippets, SendInput } from '../snippet.ts'

const message = 'message = timestamp.encode() + b"." + body'
const hmac = 'digest = hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()'
const sent = 'request = Request(url, method="POST", data=body, headers={'
const secret = 'secret = os.environ["CC_SIGNING_SECRET"]'

const fixes: Changes = {
  timestamp_in_seconds: ['timestamp = str(int(time.time()))', 'timestamp = str(time.time_ns() // 1_000_000)'],
  signed_body_only: ['message = body', message],
  missing_dot: ['message = timestamp.encode() + body', message],
  key_without_prefix: ['digest = hmac.new(secret[6:].encode(), message, hashlib.sha256).hexdigest()', hmac],
  key_base64_decoded: [
    'digest = hmac.new(base64.b64decode(secret[6:] + "="), message, hashlib.sha256).hexdigest()',
    hmac,
  ],
  digest_base64: [
    'digest = base64.b64encode(hmac.digest(secret.encode(), message, "sha256")).decode()',
    hmac,
  ],
  digest_uppercase: ['digest = hmac.new(secret.encode(), message, hashlib.sha256).hexdigest().upper()', hmac],
  missing_scheme: ['"x-service-signature": digest,', '"x-service-signature": f"sha256={digest}",'],
  body_reserialized: [
    'request = Request(url, method="POST", data=json.dumps(json.loads(body)).encode(), headers={',
    sent,
  ],
  secret_with_whitespace: [secret, `${secret}.strip()`],
  empty_body: ['request = Request(url, method="POST", headers={', sent],
  body_bom: ['request = Request(url, method="POST", data=codecs.BOM_UTF8 + body, headers={', sent],
  body_crlf: ['request = Request(url, method="POST", data=body.replace(b"\\n", b"\\r\\n"), headers={', sent],
  body_latin1: [
    'request = Request(url, method="POST", data=body.decode().encode("latin-1"), headers={',
    sent,
  ],
  timestamp_mismatch: ['message = str(int(time.time())).encode() + b"." + body', message],
  body_before_timestamp: ['message = body + b"." + timestamp.encode()', message],
  signed_data_only: ['message = timestamp.encode() + b"." + json.dumps(data).encode()', message],
  plain_sha256: ['digest = hashlib.sha256(message).hexdigest()', hmac],
  key_message_swapped: ['digest = hmac.new(message, secret.encode(), hashlib.sha256).hexdigest()', hmac],
  token_as_key: ['secret = os.environ["CC_INBOUND_TOKEN"]', secret],
}

export const python: LanguageSnippets = {
  fixes,
  send: {
    label: 'Python',
    highlight: 'python',
    file: 'send.py',
    command: 'python3 send.py',
    render: ({ url, eventName, data, secret }: SendInput) => `\
import hashlib
import hmac
import os
import time
from urllib.error import HTTPError
from urllib.request import Request, urlopen

# The whole string is the key, whsec_ included
secret = ${secret === undefined ? 'os.environ["CC_SIGNING_SECRET"]' : quote.python(secret)}
if not secret:
    raise SystemExit("CC_SIGNING_SECRET is empty")
url = ${quote.python(url)}

# Call json.dumps once: sign and send the same bytes
body = ${quote.python(eventBody(eventName, data))}.encode()
timestamp = str(time.time_ns() // 1_000_000)
message = timestamp.encode() + b"." + body
digest = hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()

request = Request(url, method="POST", data=body, headers={
    "Content-Type": "application/json",
    "x-service-timestamp": timestamp,
    "x-service-signature": f"sha256={digest}",
})
try:
    response = urlopen(request)
except HTTPError as error:  # an answer too, with the reason in its body
    response = error
print(response.status, response.read().decode())
# ${retryRule}`,
  },
  verify: {
    label: 'Python',
    highlight: 'python',
    file: 'verify.py',
    command: 'python3 verify.py',
    render: () => `\
import hashlib
import hmac
import os
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# The whole string is the key, whsec_ included
SECRET = os.environ["CC_SIGNING_SECRET"]
if not SECRET:
    raise SystemExit("CC_SIGNING_SECRET is empty")


def verify(secret: str, timestamp: str, signature: str, raw_body: bytes) -> bool:
    if not re.fullmatch("[0-9]{1,15}", timestamp):
        return False
    if abs(time.time() * 1000 - int(timestamp)) > 300_000:
        return False
    message = timestamp.encode() + b"." + raw_body
    expected = "sha256=" + hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.encode())


class Handler(BaseHTTPRequestHandler):
    def handle_call(self):
        # The bytes as received, before json.loads
        raw_body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        # Joined, so that a header that is sent twice is refused
        timestamp = ",".join(self.headers.get_all("x-service-timestamp", []))
        signature = ",".join(self.headers.get_all("x-service-signature", []))
        if not verify(SECRET, timestamp, signature, raw_body):
            return self.answer(401, b'{"ok":false}')
        # The call is genuine: do the work here
        self.answer(200, b'{"ok":true}')

    def answer(self, status: int, body: bytes):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_call


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 8080))), Handler)
print(f"Listening on port {server.server_port}", flush=True)
server.serve_forever()`,
  },
}
