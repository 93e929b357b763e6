import { isExactNumber, isObject } from '#shared/json/exact-json.ts'
import type { CallContents, CallError, CallResult, ReceivedResponse } from '#shared/model/call.ts'
import { mask } from '#shared/model/environment.ts'
import type { HeaderMap } from './header-values.ts'
import { keptTextMasker, type TextMasker, textMasker } from './mask-text.ts'
import type { OutboundRequest, ShownRequest } from './outbound-request.ts'

/** Replaces the values of environment variables in an outcome. */
export type Masker = (result: CallResult) => CallResult

/**
 * Creates the masker that every outcome of a call passes through. It shows a header with variables as its template, with
 * `••••` for each variable. It searches all other texts for values of 8 characters or more. Creating a masker costs more
 * than using it: keep it while the values stay the same.
 *
 * @param text an existing masker of texts for the same secrets.
 */
export function createMasker(
  { shown, secrets }: { readonly shown: Readonly<HeaderMap>; readonly secrets: readonly string[] },
  text: TextMasker | null = textMasker(secrets),
): Masker {
  const withHeaders = (result: CallResult) => withShown(result, { headers: shown })
  if (text === null) return result => (Object.keys(shown).length === 0 ? result : withHeaders(result))

  const tree = (value: unknown) => maskTree(value, text)
  const fields = <Value>(record: Record<string, Value>, part: (value: Value) => Value) =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [text(name), part(value)]))
  const errorText = (error: CallError): CallError => ({
    ...error,
    message: text(error.message),
    ...(error.data === undefined ? {} : { data: tree(error.data) }),
  })
  const mayBeNumber = secrets.some(secret => /^[-+.\deE]+$/.test(secret))

  const slow: Masker = outcome => {
    const { request, response, result, mapped, error } = outcome
    const body = response === null ? '' : text(response.body)
    const untouched = !mayBeNumber && isPlain(response, body)
    return {
      ...outcome,
      request: request && {
        method: request.method,
        url: text(request.url),
        headers: { ...fields(request.headers, text), ...shown },
        body: text(request.body),
      },
      response: response && {
        ...response,
        headers: fields(response.headers, text),
        ...(response.repeatedHeaders && {
          repeatedHeaders: fields(response.repeatedHeaders, values => values.map(text)),
        }),
        body,
      },
      result: untouched ? result : tree(result),
      // The aliases come from the action, and values can come from headers.
      mapped: mapped && fields(mapped, tree),
      error: error && errorText(error),
    }
  }
  // Most outcomes contain no secret. Searching all texts at once is cheaper than each one.
  return outcome => {
    const all = textsOf(outcome, shown)
    return all !== null && !mayBeNumber && text(all) === all ? withHeaders(outcome) : slow(outcome)
  }
}

/**
 * Returns the texts of an outcome joined by line breaks. No secret contains a line break, so none matches across two
 * texts. Returns null if the body contains escapes or the outcome is incomplete.
 */
function textsOf({ request, response, mapped, error }: CallResult, shown: HeaderMap): string | null {
  if (request === null || response === null || error !== null || response.body.includes('\\')) return null
  let all = `${request.url}\n${request.body}\n`
  for (const name in request.headers)
    all += Object.hasOwn(shown, name) ? `${name}\n` : `${name}\n${request.headers[name]}\n`
  for (const name in response.headers) all += `${name}\n${response.headers[name]}\n`
  // Only the aliases: their values and the result are parts of the headers and the body.
  for (const alias in mapped) all += `${alias}\n`
  return all + response.body
}

/** Returns a result whose request shows other parts, and other headers beside its own. */
export function withShown(result: CallResult, { headers, ...shown }: ShownRequest): CallResult {
  const { request } = result
  return request === null
    ? result
    : { ...result, request: { ...request, ...shown, headers: { ...request.headers, ...headers } } }
}

/** Returns the origin of a URL as it is shown. Masks can be in place of its parts, so no parser takes it. */
const shownOrigin = (url: string) => /^(?:[a-z]+:\/\/)?[^/?#]*/i.exec(url)?.[0] ?? ''

/** Returns the host and the port of a request for messages: as they are shown, if something in them is masked. */
export function shownHost({ origin, shown }: Pick<OutboundRequest, 'origin' | 'shown'>): string {
  const host = shownOrigin(shown?.url ?? '').replace(/^[a-z]+:\/\//i, '')
  return host.includes(mask) ? host : new URL(origin).host
}

/**
 * Creates the function that masks the private values of a run in the contents of a call.
 *
 * @param text a masker of the values; null without any.
 * @param isPrivate whether to keep only the method, the host and the error.
 */
export function createContentsMasker(
  values: readonly string[],
  text: TextMasker | null,
  isPrivate: boolean,
): (contents: CallContents) => CallContents {
  const masker = createMasker({ shown: {}, secrets: values }, text)
  return contents => {
    if (isPrivate) {
      const { request, error, converted: _, ...rest } = contents
      return {
        ...rest,
        arguments: {},
        request: request && {
          method: request.method,
          url: shownOrigin(request.url),
          headers: {},
          body: '',
        },
        ...{ response: null, result: null, mapped: null, private: true },
        error: error && { code: error.code, message: text?.(error.message) ?? error.message },
      }
    }
    const given = text === null ? contents.arguments : maskTree(contents.arguments, text)
    return { ...contents, ...masker(contents), arguments: isObject(given) ? given : {} }
  }
}

/** Returns whether the body contains neither secrets nor escapes. Then its parsed value has no secret either. */
function isPlain(response: ReceivedResponse | null, masked: string): boolean {
  return response !== null && response.body === masked && !masked.includes('\\')
}

/**
 * Applies `text` to all texts of a JSON value: strings, names of fields, and the digits of numbers. Does not copy what
 * stays the same.
 *
 * @param value nested at most as deep as responses may be.
 */
export function maskTree(value: unknown, text: TextMasker): unknown {
  if (typeof value !== 'object' || value === null) return maskParts(value, text)
  // Most values contain no secret. Searching all texts at once is cheaper than each one.
  const texts: string[] = []
  collectTexts(value, texts)
  const all = texts.join('\n')
  return text(all) === all ? value : maskParts(value, text)
}

/** Adds the texts that `maskParts` masks. */
function collectTexts(value: unknown, texts: string[]): void {
  if (typeof value === 'string') texts.push(value)
  else if (typeof value === 'number') texts.push(String(value))
  else if (isExactNumber(value)) texts.push(value.rawJSON, String(Number(value.rawJSON)))
  else if (Array.isArray(value)) for (const part of value) collectTexts(part, texts)
  else if (typeof value === 'object' && value !== null)
    for (const [name, part] of Object.entries(value)) {
      texts.push(name)
      collectTexts(part, texts)
    }
}

function maskParts(value: unknown, text: TextMasker): unknown {
  if (typeof value === 'string') return text(value)
  if (typeof value === 'number') return maskDigits(value, String(value), text)
  if (typeof value !== 'object' || value === null) return value
  if (isExactNumber(value)) {
    const masked = maskDigits(value, value.rawJSON, text)
    return masked === value ? maskDigits(value, String(Number(value.rawJSON)), text) : masked
  }
  if (Array.isArray(value)) {
    const parts: readonly unknown[] = value
    const masked = parts.map(part => maskParts(part, text))
    return masked.some((part, index) => part !== parts[index]) ? masked : value
  }
  let changed = false
  const fields = Object.entries(value).map(([name, part]): [string, unknown] => {
    const masked: [string, unknown] = [text(name), maskParts(part, text)]
    if (masked[0] !== name || masked[1] !== part) changed = true
    return masked
  })
  // Object.fromEntries defines `__proto__` as an ordinary field.
  return changed ? Object.fromEntries(fields) : value
}

/** Masks a number. One that contains a secret becomes a text, because `••••` is not a number. */
function maskDigits(value: unknown, digits: string, text: (value: string) => string): unknown {
  const masked = text(digits)
  return masked === digits ? value : masked
}

/** Returns the arguments of a call with masked secrets. */
export function maskArguments(
  given: Readonly<Record<string, unknown>>,
  secrets: readonly string[],
): Record<string, unknown> {
  const masked = secretMask(secrets)(given)
  return isObject(masked) ? masked : {}
}

/** Replaces secrets in a JSON value. Returns the same value if it has none. */
export type Mask = (value: unknown) => unknown

/** Returns the mask of these secrets. */
export function secretMask(secrets: readonly string[]): Mask {
  const text = keptTextMasker(secrets)
  return value => (text === null ? value : maskTree(value, text))
}
