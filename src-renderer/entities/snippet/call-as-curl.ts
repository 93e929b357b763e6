import { fillVariables, variablesIn } from '#shared/model/action-headers.ts'
import type { Method } from '#shared/model/method.ts'
import { quote } from './quote.ts'

export type ShownCall = {
  readonly method: Method
  readonly url: string
  /** The action's headers: `{{NAME}}` is an environment variable. Signature headers are replaced. */
  readonly headers: Readonly<Record<string, string>>
  /** The exact body, empty for a GET. */
  readonly body: string
}

/**
 * Returns a bash program that makes the same call with a fresh signature, with curl and openssl. It contains no secret:
 * it reads the signing secret and each `{{NAME}}` from the shell's environment and sends nothing if one is not set. It
 * is a subshell, so this also holds when it is pasted into a terminal. It sends header values in Latin-1, as the
 * service does. The body is limited to about 100 KB, the longest argument on Linux.
 */
export function curlForCall({ method, url, headers, body }: ShownCall): string {
  const own = namesBeside(Object.values(headers).flatMap(variablesIn))
  const sent = Object.entries(headers).filter(([name]) => !madeHere.test(name))
  const hasType = sent.some(([name]) => name.toLowerCase() === 'content-type')
  if (body !== '' && !hasType) sent.unshift(['Content-Type', 'application/json'])
  const isDefault = method === (body === '' ? 'GET' : 'POST')
  const options = [
    `  curl -sSg ${isDefault ? '' : `-X ${method} `}"$${own.URL}"`,
    ...sent.map(([name, value]) => `-H ${headerWord(name, value)}`),
    `-H "x-service-timestamp: $${own.TS}"`,
    `-H "x-service-signature: sha256=$${own.SIG}"`,
    ...(body === '' ? [] : [`--data-raw "$${own.BODY}"`]),
  ]
  return `\
(
  # The whole string is the key, whsec_ included
  ${own.SECRET}="\${CC_SIGNING_SECRET:?}"
  ${own.URL}=${quote.curl(url)}
  ${own.BODY}=${quote.curl(body)}

  ${own.TS}=$(date +%s)000
  ${own.SIG}=$(printf '%s.%s' "$${own.TS}" "$${own.BODY}" \\
    | openssl dgst -sha256 -hmac "$${own.SECRET}" | sed 's/^.* //')

${options.join(' \\\n    ')}
)`
}

/** Headers that curl or the signature sets. */
const madeHere = /^(x-service-timestamp|x-service-signature|content-length|host|connection)$/i

type OwnNames = { SECRET: string; URL: string; BODY: string; TS: string; SIG: string }

/** Returns names for the program's own variables that differ from every `{{NAME}}`. */
function namesBeside(taken: readonly string[]): OwnNames {
  const free = (name: string): string => (taken.includes(name) ? free(`${name}_`) : name)
  return { SECRET: free('SECRET'), URL: free('URL'), BODY: free('BODY'), TS: free('TS'), SIG: free('SIG') }
}

/** Returns a header as one shell word: in single quotes, or in double quotes if it contains variables. */
function headerWord(name: string, value: string): string {
  // curl omits a header that ends with its colon.
  if (value === '') return quote.curl(`${name};`)
  const text = `${name}: ${value}`
  if (variablesIn(value).length === 0 && /^[\t -~]*$/.test(text)) return quote.curl(text)
  const escaped = text.replace(/[\\"$`]/g, '\\$&')
  // The shell does not run curl if a variable is not set.
  const filled = fillVariables(escaped, variable => `\${${variable}:?}`)
  return `"${filled.replace(/[!\u0080-\u00ff]+/g, run => `"$'${hexadecimal(run)}'"`)}"`
}

/** Escapes each character as one byte. The shell would encode non-ASCII as UTF-8, and expand a `!`. */
function hexadecimal(text: string): string {
  return text.replace(/./gs, char => `\\x${char.charCodeAt(0).toString(16)}`)
}
