import type { SyntaxProblem } from '#shared/json/diagnose-json.ts'
import { headerNameProblem } from '#shared/model/action-headers.ts'
import { variablePart } from '../openapi/texts.ts'
import type { Omission } from '../parse.ts'
import { isCredential } from '../plan-warnings.ts'
import type { CurlHeader, CurlRequest } from './read-request.ts'
import type { CurlWord } from './words.ts'

/** A note, and the environment variable to set, if any. */
export type CurlNote = SyntaxProblem & { readonly variable?: string }

export type ConvertedHeaders = {
  readonly headers: Record<string, string>
  readonly notes: CurlNote[]
  /** Those without which the request is another one. */
  readonly lost: Omission[]
  readonly omissions: Omission[]
  /** Those whose values the shell creates for each call. */
  readonly open: { readonly text: string; readonly offset: number }[]
}

/** Headers that browsers and curl add by themselves. Actions do not need them. */
const noise =
  /^(sec-.*|accept-encoding|accept-language|user-agent|origin|referer|priority|dnt|pragma|cache-control|upgrade-insecure-requests|te|if-none-match|if-modified-since)$/i

/** Headers that say how a message is carried. Each call has its own. Names before the first colon are of HTTP/2. */
const ofTransport =
  /^(connection|content-length|transfer-encoding|keep-alive|expect|te|trailer|proxy-connection|)$/i

/**
 * Converts the headers of a command to those of an action. Replaces likely credentials by environment variables, and
 * does not store their values.
 *
 * @param prefix the start of the names of environment variables.
 * @param host of the URL.
 */
export function convertHeaders(request: CurlRequest, prefix: string, host: string): ConvertedHeaders {
  const made: ConvertedHeaders = { headers: {}, notes: [], lost: [], omissions: [], open: [] }
  const left: CurlHeader[] = []
  for (const header of request.headers) {
    const { name, value, offset } = header
    const problem = headerNameProblem(name)
    if (problem !== null) {
      const isOfTransport = ofTransport.test(name) || (/^host$/i.test(name) && value.text === host)
      made[isOfTransport ? 'omissions' : 'lost'].push({ name: `header ${name}`, reason: problem, offset })
    } else if (isNoise(name, value.text)) left.push(header)
    else set(made, name, value, prefix)
  }
  const [first] = left.filter(({ name }) => noise.test(name))
  if (first !== undefined) {
    const names = left.map(({ name }) => name).join(', ')
    made.notes.push({
      message: `Headers that clients add by themselves are omitted: ${names}.`,
      offset: first.offset,
    })
  }
  if (request.user !== null) {
    const variable = `${prefix}_BASIC_AUTH`
    put(made, 'Authorization', `Basic {{${variable}}}`, request.user.offset)
    made.notes.push({
      message: `User and password are not stored. Set the environment variable ${variable} to the Base64 of user:password.`,
      offset: request.user.offset,
      variable,
    })
  }
  if (request.bearer !== null) set(made, 'Authorization', prefixed('Bearer ', request.bearer), prefix)
  return made
}

/** Returns whether clients add a header by themselves, or it has its default value: a JSON body, and any response. */
export function isNoise(name: string, text: string): boolean {
  return (
    noise.test(name) ||
    (/^content-type$/i.test(name) &&
      /^(application\/json|application\/x-www-form-urlencoded|multipart\/.*)\s*(;|$)/i.test(text)) ||
    (/^accept$/i.test(name) && text === '*/*')
  )
}

function prefixed(before: string, word: CurlWord): CurlWord {
  return { ...word, text: before + word.text, filled: before + word.filled }
}

function set(made: ConvertedHeaders, name: string, value: CurlWord, prefix: string): void {
  const { offset } = value
  // A credential becomes a variable, wherever the shell has it from.
  if (value.otherExpansion !== null && !isCredential(name)) {
    if (/^(?:content-type|cookie)$/i.test(name))
      made.lost.push({
        name: `header ${name}`,
        reason: `the shell creates its value (${value.otherExpansion.slice(0, 40)})`,
        offset,
      })
    else if (!made.open.some(({ text }) => text.toLowerCase() === name.toLowerCase()))
      made.open.push({ text: name, offset })
    return
  }
  const scheme = /^(Bearer|Basic|Token|ApiKey)\s+/i.exec(value.text)?.[0] ?? ''
  const secret = value.filled.slice(scheme.length)
  // A variable reveals nothing, and the person chose its name. Nor does a short text before it, such as `key-`.
  if (!isSecretValue(value.text, name) || /^[\w-]{0,8}\{\{\w+\}\}$/.test(secret)) {
    put(made, name, value.filled, offset)
    return
  }
  const variable = `${prefix}_${variableFor(name, scheme)}`
  put(made, name, `${scheme}{{${variable}}}`, offset)
  made.notes.push({
    message: `The value of ${name} looks like a credential and is not stored. Set the environment variable ${variable} to it.`,
    offset,
    variable,
  })
}

/** Sets a header. Replaces one whose name differs only in case. */
function put(made: ConvertedHeaders, name: string, value: string, offset: number): void {
  for (const other of Object.keys(made.headers)) {
    if (other.toLowerCase() !== name.toLowerCase()) continue
    delete made.headers[other]
    made.notes.push({ message: `The header ${name} is repeated. The last one counts.`, offset })
  }
  made.headers[name] = value
}

function variableFor(name: string, scheme: string): string {
  if (/^bearer/i.test(scheme)) return 'TOKEN'
  if (/^basic/i.test(scheme)) return 'BASIC_AUTH'
  return variablePart(name)
}

/** How well-known services begin their keys. */
const keyPrefix =
  /^(?:[spr]k[-_](?:live|test|proj)[-_]|sk-|gh[opsur]_|github_pat_|gl[a-z]{2,5}-|xox[a-z]-|xapp-|shp(?:at|ca|pa|ss)_|A[KS]IA[A-Z0-9]|AIza|ya29\.|SG\.|hf_|npm_|pypi-|do[opr]_v1_|whsec_|eyJ)\S/

/** Returns whether a value is probably a secret, by itself or by the name of its header. */
export function isSecretValue(text: string, header?: string): boolean {
  return (header !== undefined && isCredential(header)) || looksRandom(text) || keyPrefix.test(text)
}

/** Returns whether a value is probably a key: long, without spaces, with letters and digits. */
export function looksRandom(text: string): boolean {
  return /^[\w+/=.~-]{20,}$/.test(text) && /\d/.test(text) && /[A-Za-z]/.test(text)
}

/** Returns whether a query parameter or field with this name is probably a secret. */
export function isSecretField(name: string): boolean {
  return /(^|[-_.])(api[-_]?key|access[-_]?key|key|token|access[-_]?token|secret|client[-_]?secret|sig|signature|password|passwd|pwd|auth)$/i.test(
    name,
  )
}
