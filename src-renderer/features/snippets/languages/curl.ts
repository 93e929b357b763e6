import { eventBody } from '../event-body.ts'
import { quote } from '../quote.ts'
import type { LanguageSnippets, SendInput } from '../snippet.ts'

/**
 * Both are subshells: in an interactive shell an unset `${NAME:?}` and `exit` end a subshell and nothing else, so
 * nothing runs on without a secret and no terminal closes. Comments have a line of their own and no quotes: zsh
 * takes them for commands when they are pasted into it.
 */
export const curl: LanguageSnippets = {
  send: {
    language: 'curl',
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
)`,
  },
  verify: {
    language: 'curl',
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
