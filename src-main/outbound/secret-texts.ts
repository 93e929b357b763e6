/** A scheme of the header Authorization, or a word such as `ApiKey` in front of a credential. */
const schemed =
  /^(basic|bearer|digest|hmac|jwt|negotiate|oauth|ssws|[\w-]{0,40}(?:auth|key|token)[\w-]{0,40})[ \t:=]+(\S.*)$/is

/**
 * Returns what must not be shown of a secret value: itself, the credential after a scheme word, and of `Basic` the
 * decoded pair, its user name and its password, since the other side may send back any of them.
 */
export function secretTexts(value: string): string[] {
  const [, scheme = '', credential] = schemed.exec(value) ?? []
  if (credential === undefined) return [value]
  return [value, credential, ...(scheme.toLowerCase() === 'basic' ? pairTexts(credential) : [])]
}

function pairTexts(credential: string): string[] {
  const pair = Buffer.from(credential, 'base64').toString('latin1')
  const colon = pair.indexOf(':')
  return colon === -1 ? [] : [pair, pair.slice(0, colon), pair.slice(colon + 1)]
}
