import { retryRule } from '#shared/errors/retry-rule.ts'
import { eventBody } from '../event-body.ts'
import { quote } from '../quote.ts'
import type { Changes, LanguageSnippets, SendInput } from '../snippet.ts'

const signed = `SIG=$(printf '%s.%s' "$TS" "$BODY" \\`
const hmac = `| openssl dgst -sha256 -hmac "$SECRET" | sed 's/^.* //')`
const sent = '--data-binary "$BODY"'
const secret = `SECRET="\${CC_SIGNING_SECRET:?}"`

const fixes: Changes = {
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

/**
 * Both are subshells: in an interactive shell, an unset `${NAME:?}` or `exit` ends only the subshell, so nothing runs
 * without a secret and the terminal stays open. Comments are on their own lines and contain no quotes, since zsh runs
 * pasted comments as commands.
 */
export const curl: LanguageSnippets = {
  fixes,
  send: {
    label: 'curl',
    highlight: 'bash',
    file: 'send.sh',
    command: 'bash send.sh',
    render: ({ url, eventName, data, secret }: SendInput) => `\
${secret === undefined ? '' : `CC_SIGNING_SECRET=${quote.curl(secret)}\n`}(
  # The whole string is the key, whsec_ included
  SECRET="\${CC_SIGNING_SECRET:?}"
  URL=${quote.curl(url)}

  # Sign and send the same bytes, the time in milliseconds
  BODY=${quote.curl(eventBody(eventName, data))}
  TS=$(date +%s)000
  SIG=$(printf '%s.%s' "$TS" "$BODY" \\
    | openssl dgst -sha256 -hmac "$SECRET" | sed 's/^.* //')

  curl -sS "$URL" \\
    -H 'Content-Type: application/json' \\
    -H "x-service-timestamp: $TS" \\
    -H "x-service-signature: sha256=$SIG" \\
    --data-binary "$BODY"
  # ${retryRule}
)`,
  },
  verify: {
    label: 'Shell',
    highlight: 'bash',
    file: 'verify.sh',
    command: 'bash verify.sh "$TIMESTAMP" "$SIGNATURE" < body',
    render: () => `\
# Arguments: the timestamp and the signature header. Standard input: the raw body, empty for a GET
# Exits 0 when the call is genuine. Otherwise answer it 401, before doing anything
(
  # The whole string is the key, whsec_ included
  SECRET="\${CC_SIGNING_SECRET:?}"

  digest() { openssl dgst -sha256 -hmac "$SECRET" | sed 's/^.* //'; }

  # verify TIMESTAMP SIGNATURE < RAW_BODY
  verify() {
    local age expected
    [[ $1 =~ ^[0-9]{1,15}$ ]] || return 1
    age=$(($(date +%s) * 1000 - 10#$1))
    ((age <= 300000 && age >= -300000)) || return 1
    expected=sha256=$({ printf '%s.' "$1"; cat; } | digest)
    # Digests are compared, so that the time taken tells nothing of where the signatures differ
    [[ $(digest <<<"$expected") == $(digest <<<"$2") ]]
  }

  verify "\${1-}" "\${2-}" || { echo '{"ok":false}'; exit 1; }
  echo '{"ok":true}'
)`,
  },
}
