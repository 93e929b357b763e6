import type { Changes } from './change.ts'

const key = 'mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));'
const hash = 'var hash = mac.doFinal((timestamp + "." + body).getBytes(UTF_8));'
const digest = 'var digest = HexFormat.of().formatHex(hash);'
const sent = '.POST(HttpRequest.BodyPublishers.ofString(body, UTF_8))'
const secret = 'var secret = System.getenv("CC_SIGNING_SECRET");'

export const java: Changes = {
  timestamp_in_seconds: [
    'var timestamp = Long.toString(System.currentTimeMillis() / 1000);',
    'var timestamp = Long.toString(System.currentTimeMillis());',
  ],
  signed_body_only: ['var hash = mac.doFinal(body.getBytes(UTF_8));', hash],
  missing_dot: ['var hash = mac.doFinal((timestamp + body).getBytes(UTF_8));', hash],
  key_without_prefix: [
    'mac.init(new SecretKeySpec(secret.substring(6).getBytes(UTF_8), "HmacSHA256"));',
    key,
  ],
  key_base64_decoded: [
    'mac.init(new SecretKeySpec(Base64.getUrlDecoder().decode(secret.substring(6)), "HmacSHA256"));',
    key,
  ],
  digest_base64: ['var digest = Base64.getEncoder().encodeToString(hash);', digest],
  digest_uppercase: ['var digest = HexFormat.of().withUpperCase().formatHex(hash);', digest],
  missing_scheme: [
    '.header("x-service-signature", digest)',
    '.header("x-service-signature", "sha256=" + digest)',
  ],
  body_reserialized: [
    '.POST(HttpRequest.BodyPublishers.ofString(mapper.readTree(body).toPrettyString(), UTF_8))',
    sent,
  ],
  secret_with_whitespace: [secret, 'var secret = System.getenv("CC_SIGNING_SECRET").strip();'],
  empty_body: ['.POST(HttpRequest.BodyPublishers.noBody())', sent],
  body_bom: ['.POST(HttpRequest.BodyPublishers.ofString("\\uFEFF" + body, UTF_8))', sent],
  body_crlf: ['.POST(HttpRequest.BodyPublishers.ofString(body.replace("\\n", "\\r\\n"), UTF_8))', sent],
  body_latin1: ['.POST(HttpRequest.BodyPublishers.ofString(body, ISO_8859_1))', sent],
  timestamp_mismatch: [
    'var hash = mac.doFinal((System.currentTimeMillis() / 1000 + "." + body).getBytes(UTF_8));',
    hash,
  ],
  body_before_timestamp: ['var hash = mac.doFinal((body + "." + timestamp).getBytes(UTF_8));', hash],
  signed_data_only: ['var hash = mac.doFinal((timestamp + "." + data).getBytes(UTF_8));', hash],
  plain_sha256: [
    'var hash = MessageDigest.getInstance("SHA-256").digest((timestamp + "." + body).getBytes(UTF_8));',
    hash,
  ],
  key_message_swapped: [
    'mac.init(new SecretKeySpec((timestamp + "." + body).getBytes(UTF_8), "HmacSHA256"));\nvar hash = mac.doFinal(secret.getBytes(UTF_8));',
    `${key}\n${hash}`,
  ],
  token_as_key: ['var secret = System.getenv("CC_INBOUND_TOKEN");', secret],
}
