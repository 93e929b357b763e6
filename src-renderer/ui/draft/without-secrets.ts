/** A name of a field, a header or a parameter whose value is a credential. */
const secretName =
  /pass(?:word|phrase|wd|code)|secret|token|credential|signature|authorization|cookie|(?:^|[-_])(?:auth|pwd|pin|otp|sig)(?:$|[-_])|(?:api|access|private|signing|subscription)[-_]?key/i

/** Returns whether a name is that of a credential. */
export const isSecretName = (name: string): boolean => secretName.test(name)

/** A value that consists of one variable, which is not a credential itself. */
const variable = /^\s*\{\{[^{}]*\}\}\s*$/

const userOfUrl = /(\bhttps?:\/\/)[^/?#\s"'@]{1,500}@/gi
const parameterOfUrl = /([?&;]([\w.~%[\]-]{1,100})=)([^&;#\s"']{1,8000})/g
const memberOfJson = /("([^"\\]{1,100})"\s{0,100}:\s{0,100}")((?:[^"\\]|\\.)*)"/g
const knownShapes: readonly (readonly [RegExp, string])[] = [
  [/whsec_[\w+/=-]+/g, 'whsec_'],
  [/(\b(?:Bearer|Basic) +)[\w.~+/=-]{8,}/gi, '$1'],
  [/(\/api\/connect\/)[^/\s"']+/g, '$1'],
]

/** Returns a text without the credentials that can be told by their names or their form. */
export function textWithoutSecrets(text: string): string {
  const cut = (end: string) => (all: string, begin: string, name: string, value: string) =>
    isSecretName(name) && !variable.test(value) ? begin + end : all
  let rest = text.replace(userOfUrl, '$1').replace(parameterOfUrl, cut('')).replace(memberOfJson, cut('"'))
  for (const [shape, left] of knownShapes) rest = rest.replace(shape, left)
  return rest
}

/** Returns a JSON value with each text, and its name if it has one, replaced. */
function mapTexts(value: unknown, change: (text: string, name: string) => string, name = ''): unknown {
  if (typeof value === 'string') return change(value, name)
  if (Array.isArray(value)) return value.map(item => mapTexts(item, change, name))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapTexts(inner, change, key)]))
}

/** Returns a value of a form without the credentials in its texts. The names are those of the form. */
export const withoutSecretTexts = (value: unknown): unknown => mapTexts(value, textWithoutSecrets)

/** Whether two values are the same JSON. */
export const isSameJson = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/**
 * Returns a value whose credentials were left out with those of the record, where nothing else has changed: what somebody
 * has not touched must not be emptied by saving.
 *
 * @param rest what is left of the record's value without its credentials.
 */
export function withSecretsOf(value: unknown, rest: unknown, base: unknown): unknown {
  if (isSameJson(value, rest)) return base
  if (Array.isArray(value) && Array.isArray(rest) && Array.isArray(base))
    return value.map((item, index) => {
      const same = rest.findIndex(one => isSameJson(one, item))
      const at = same === -1 ? index : same
      return withSecretsOf(item, rest[at], base[at])
    })
  if (!isObject(value) || !isObject(rest) || !isObject(base)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const isKnown = Object.hasOwn(rest, name) && Object.hasOwn(base, name)
      return [name, isKnown ? withSecretsOf(inner, rest[name], base[name]) : inner]
    }),
  )
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns data that a user has written, also without the texts whose names are those of credentials. */
export function dataWithoutSecrets<Value>(value: Value): Value
export function dataWithoutSecrets(value: unknown): unknown {
  return mapTexts(value, (text, name) => {
    const isSecret = isSecretName(name) && !variable.test(text)
    return isSecret ? '' : textWithoutSecrets(text)
  })
}
