import type { Changes } from './change.ts'

const hmac = `$digest = hash_hmac('sha256', "$timestamp.$body", $secret);`
const sent = "'content' => $body,"
const secret = "$secret = getenv('CC_SIGNING_SECRET');"

export const php: Changes = {
  timestamp_in_seconds: [
    '$timestamp = (string) time();',
    '$timestamp = (string) (int) (microtime(true) * 1000);',
  ],
  signed_body_only: ["$digest = hash_hmac('sha256', $body, $secret);", hmac],
  missing_dot: [`$digest = hash_hmac('sha256', "$timestamp$body", $secret);`, hmac],
  key_without_prefix: [`$digest = hash_hmac('sha256', "$timestamp.$body", substr($secret, 6));`, hmac],
  key_base64_decoded: [
    `$digest = hash_hmac('sha256', "$timestamp.$body", base64_decode(substr($secret, 6)));`,
    hmac,
  ],
  digest_base64: [`$digest = base64_encode(hash_hmac('sha256', "$timestamp.$body", $secret, true));`, hmac],
  digest_uppercase: [`$digest = strtoupper(hash_hmac('sha256', "$timestamp.$body", $secret));`, hmac],
  missing_scheme: ['"x-service-signature: $digest",', '"x-service-signature: sha256=$digest",'],
  body_reserialized: ["'content' => json_encode(json_decode($body), JSON_PRETTY_PRINT),", sent],
  secret_with_whitespace: [secret, "$secret = trim(getenv('CC_SIGNING_SECRET'));"],
  empty_body: ['', sent],
  body_bom: [`'content' => "\\u{FEFF}$body",`, sent],
  body_crlf: [`'content' => str_replace("\\n", "\\r\\n", $body),`, sent],
  body_latin1: ["'content' => iconv('UTF-8', 'ISO-8859-1', $body),", sent],
  timestamp_mismatch: [`$digest = hash_hmac('sha256', time() . ".$body", $secret);`, hmac],
  body_before_timestamp: [`$digest = hash_hmac('sha256', "$body.$timestamp", $secret);`, hmac],
  signed_data_only: ["$digest = hash_hmac('sha256', $timestamp . '.' . json_encode($data), $secret);", hmac],
  plain_sha256: [`$digest = hash('sha256', "$timestamp.$body");`, hmac],
  key_message_swapped: [`$digest = hash_hmac('sha256', $secret, "$timestamp.$body");`, hmac],
  token_as_key: ["$secret = getenv('CC_INBOUND_TOKEN');", secret],
}
