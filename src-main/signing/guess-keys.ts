import { type Bytes, type Guess, wrong } from './guess.ts'

export type KeyClues = {
  /** The connection's signing secret as displayed. */
  readonly secret: string
  /** Secrets that a rotation replaced, newest first; at most 10 are tried. */
  readonly oldSecrets?: readonly string[] | undefined
  readonly inboundToken?: string | null | undefined
}

const prefix = 'whsec_'
const maxOldSecrets = 10

const messages = {
  prefix: 'You cut the prefix off the signing secret; the HMAC key is the whole string, `whsec_` included.',
  base64:
    'You base64-decoded the signing secret, as Svix and Standard Webhooks do; here the HMAC key is the displayed string itself, `whsec_` included.',
  space:
    'The HMAC key had white space or quotes around the signing secret; trim what you read from the file or environment variable.',
  token:
    'You used the inbound token of the webhook URL as HMAC key; use the signing secret, which begins with `whsec_`.',
  old: 'You signed with a secret that has been replaced; copy the current signing secret into the sender.',
  absent:
    'The HMAC key was empty, or the word for an absent value: the signing secret did not reach the code that signs. Copy the secret and set it where the sender reads it.',
}

/** Returns at most 28 HMAC keys that the sender may have used instead of the secret. */
export function guessKeys({ secret, oldSecrets = [], inboundToken }: KeyClues): Guess<Bytes>[] {
  const bare = secret.startsWith(prefix) ? secret.slice(prefix.length) : secret
  const decoded = Buffer.from(bare, 'base64')
  const around: [before: string, after: string][] = [
    ['', '\n'],
    ['', '\r\n'],
    ['', ' '],
    [' ', ''],
    ['', '\t'],
    ['"', '"'],
    ["'", "'"],
  ]
  const guesses = [
    wrong<Bytes>('key_without_prefix', messages.prefix, bare),
    wrong('key_base64_decoded', messages.base64, decoded),
    ...oldSecrets
      .slice(0, maxOldSecrets)
      .filter(old => old !== '')
      .map(old => wrong('old_secret', messages.old, old)),
    // PHP and Python skip the two characters that only the URL-safe alphabet has.
    wrong('key_base64_decoded', messages.base64, Buffer.from(bare.replace(/[-_]/g, ''), 'base64')),
    wrong('key_base64_decoded', messages.base64, Buffer.from(secret, 'base64')),
    // The decoded bytes as text: atob(), or toString() on a Buffer.
    wrong('key_base64_decoded', messages.base64, decoded.toString('latin1')),
    wrong('key_base64_decoded', messages.base64, decoded.toString('utf8')),
    ...around.map(([before, after]) =>
      wrong('secret_with_whitespace', messages.space, `${before}${secret}${after}`),
    ),
    ...(inboundToken ? [wrong('token_as_key', messages.token, inboundToken)] : []),
    ...['', 'undefined', 'null', 'None'].map(word => wrong('key_empty', messages.absent, word)),
  ]
  // A guess that equals the secret would report a correct key as a mistake.
  return guesses.filter(({ value }) => !Buffer.from(secret).equals(Buffer.from(value)))
}
