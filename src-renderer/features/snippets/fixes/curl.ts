import type { Changes } from './change.ts'

const signed = `SIG=$(printf '%s.%s' "$TS" "$BODY" \\`
const hmac = `| openssl dgst -sha256 -hmac "$SECRET" | sed 's/^.* //')`
const sent = '--data-binary "$BODY"'
const secret = `SECRET="\${CC_SIGNING_SECRET:?}"`

export const curl: Changes = {
  timestamp_in_seconds: ['TS=$(date +%s)', 'TS=$(date +%s)000'],
  signed_body_only: [`SIG=$(printf '%s' "$BODY" \\`, signed],
  missing_dot: [`SIG=$(printf '%s%s' "$TS" "$BODY" \\`, signed],
  key_without_prefix: [`| openssl dgst -sha256 -hmac "\${SECRET#whsec_}" | sed 's/^.* //')`, hmac],
  key_base64_decoded: [`| openssl dgst -sha256 -mac HMAC -macopt "hexkey:$DECODED" | sed 's/^.* //')`, hmac],
  digest_base64: ['| openssl dgst -sha256 -hmac "$SECRET" -binary | base64)', hmac],
  digest_uppercase: [`| openssl dgst -sha256 -hmac "$SECRET" | sed 's/^.* //' | tr a-f A-F)`, hmac],
  missing_scheme: [`-H "x-service-signature: $SIG" \\`, `-H "x-service-signature: sha256=$SIG" \\`],
  body_reserialized: ['--data-binary "$(jq . <<<"$BODY")"', sent],
  secret_with_whitespace: [secret, `SECRET=$(printf '%s' "$CC_SIGNING_SECRET" | tr -d '[:space:]')`],
  empty_body: ['--request POST', sent],
  body_bom: [`--data-binary $'\\xef\\xbb\\xbf'"$BODY"`, sent],
  body_crlf: [`--data-binary "\${BODY//$'\\n'/$'\\r\\n'}"`, sent],
  body_latin1: [`--data-binary "$(printf '%s' "$BODY" | iconv -f utf-8 -t latin1)"`, sent],
  timestamp_mismatch: [`SIG=$(printf '%s.%s' "$(date +%s)" "$BODY" \\`, signed],
  body_before_timestamp: [`SIG=$(printf '%s.%s' "$BODY" "$TS" \\`, signed],
  signed_data_only: [`SIG=$(printf '%s.%s' "$TS" "$DATA" \\`, signed],
  plain_sha256: [`| openssl dgst -sha256 | sed 's/^.* //')`, hmac],
  key_message_swapped: [
    `SIG=$(printf '%s' "$SECRET" \\\n  | openssl dgst -sha256 -hmac "$TS.$BODY" | sed 's/^.* //')`,
    `${signed}\n  ${hmac}`,
  ],
  token_as_key: [`SECRET="\${CC_INBOUND_TOKEN:?}"`, secret],
}
