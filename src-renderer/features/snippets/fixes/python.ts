import type { Changes } from './change.ts'

const message = 'message = timestamp.encode() + b"." + body'
const hmac = 'digest = hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()'
const sent = 'request = Request(url, method="POST", data=body, headers={'
const secret = 'secret = os.environ["CC_SIGNING_SECRET"]'

export const python: Changes = {
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
