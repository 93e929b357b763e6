import type { Method } from '#shared/model/action.ts'
import { fillVariables, variablesIn } from '#shared/model/action-headers.ts'
import { quote } from './quote.ts'

/** A call as it was made, or would be. */
export type ShownCall = {
  readonly method: Method
  readonly url: string
  /** As the action has them: `{{NAME}}` stands for an environment variable. Those that sign are made anew. */
  readonly headers: Readonly<Record<string, string>>
  /** The body as it was sent, empty for a GET. */
  readonly body: string
}

/**
 * A bash program that makes the same call with a fresh signature, with curl and openssl. It holds no secret: the
 * signing secret and each `{{NAME}}` are read from the shell's environment, and nothing is sent if one is not set,
 * pasted into a terminal too: it is a subshell.
 * What is written in header values goes out in Latin-1, as the service sends it. A body
 * has at most about 100 KB, the most that an argument of a program may have on Linux.
 */
export function curlForCall({ method, url, headers, body }: ShownCall): string {
  const own = namesBeside(Object.values(headers).flatMap(variablesIn))
  const sent = Object.entries(headers).filter(([name]) => !madeHere.test(name))
  const hasType = sent.some(([name]) => name.toLowerCase() === 'content-type')
  if (body !== '' && !hasType) sent.unshift(['Content-Type', 'application/json'])
  // What curl does by itself needs no option.
  const isUsual = method === (body === '' ? 'GET' : 'POST')
  const options = [
    `  curl -sSg ${isUsual ? '' : `-X ${method} `}"$${own.URL}"`,
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

/** curl's own business, or the signature's. */
const madeHere = /^(x-service-timestamp|x-service-signature|content-length|host|connection)$/i

type OwnNames = { SECRET: string; URL: string; BODY: string; TS: string; SIG: string }

/** Names for the program's own variables that no `{{NAME}}` has: {{SECRET}} is not the signing secret. */
function namesBeside(taken: readonly string[]): OwnNames {
  const free = (name: string): string => (taken.includes(name) ? free(`${name}_`) : name)
  return { SECRET: free('SECRET'), URL: free('URL'), BODY: free('BODY'), TS: free('TS'), SIG: free('SIG') }
}

/** One word of the shell: in single quotes as it stands, in double quotes where variables are in it. */
function headerWord(name: string, value: string): string {
  // curl leaves out a header with nothing behind its colon.
  if (value === '') return quote.curl(`${name};`)
  const text = `${name}: ${value}`
  if (variablesIn(value).length === 0 && /^[\t -~]*$/.test(text)) return quote.curl(text)
  const escaped = text.replace(/[\\"$`]/g, '\\$&')
  // curl is not run when a variable is not set.
  const filled = fillVariables(escaped, variable => `\${${variable}:?}`)
  return `"${filled.replace(/[!\u0080-\u00ff]+/g, run => `"$'${hexadecimal(run)}'"`)}"`
}

/** As bytes: of characters beyond ASCII the shell would make two each, and an interactive one runs what has a !. */
function hexadecimal(text: string): string {
  return text.replace(/./gs, char => `\\x${char.charCodeAt(0).toString(16)}`)
}
