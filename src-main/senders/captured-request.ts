import { readCommand } from '#main/importing/curl/read-command.ts'
import { readRequest } from '#main/importing/curl/read-request.ts'
import type { HeaderFields } from '#main/signing/header-fields.ts'
import { queryOf } from '#main/signing/places.ts'

/** A request as somebody captured it, or why the text is none. */
export type Captured =
  | ({ readonly headers: HeaderFields; readonly bodies: readonly [string, ...string[]] } & Called)
  | { readonly problem: string }

/** The method and the query of its URL, as far as its first line says them. */
type Called = { readonly method?: string | undefined; readonly query?: string | undefined }

const maxHeaders = 100
const requestLine = /^(?:([A-Z]+) (\S+)(?: HTTP\/[\d.]+)?|HTTP\/[\d.]+ .*)$/
/** As HTTP writes a header, and as consoles and tables of a browser show it. */
const headerLine = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+)[ \t]*:[ \t]*(.*)$/

/**
 * Parses a pasted request: header lines, an empty line and the body, with or without a request line; or a curl command.
 * The first of `bodies` is the text as pasted. The other one lacks its last line break, which editors add.
 */
export function readCaptured(text: string): Captured {
  return /^\s*(?:\$ )?curl(?:\.exe)?\s/.test(text) ? readCurl(text) : readMessage(text.trimStart())
}

function readMessage(text: string): Captured {
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
  const headers: [string, string][] = []
  let called: Called = {}
  let at = 0
  for (;;) {
    const end = text.indexOf(lineEnd, at)
    const line = end === -1 ? text.slice(at) : text.slice(at, end)
    const isLast = end === -1
    if (line === '' || isLast || headers.length > maxHeaders) {
      if (isLast && line !== '' && !addHeader(headers, line)) break
      at = isLast ? text.length : end + lineEnd.length
      break
    }
    const start = at === 0 ? requestLine.exec(line) : null
    if (start !== null) called = { method: start[1], query: queryOf(start[2] ?? '') }
    // Without an empty line, the body begins where no header is.
    else if (!addHeader(headers, line)) break
    at = end + lineEnd.length
  }
  if (headers.length === 0 && (called.query ?? '') === '')
    return { problem: 'Paste the header lines, an empty line, then the body; or a curl command.' }
  return { headers, bodies: bodiesOf(text.slice(at)), ...called }
}

function addHeader(headers: [string, string][], line: string): boolean {
  const [, name, value = ''] = headerLine.exec(line) ?? []
  if (name !== undefined) headers.push([name, value.trimEnd()])
  return name !== undefined
}

function readCurl(text: string): Captured {
  const command = readCommand(text)
  if ('errors' in command) return { problem: command.errors[0]?.message ?? 'This is not a curl command.' }
  const { url, method, isGet, isHead, headers, data, errors } = readRequest(command.words)
  const [error] = errors
  if (error !== undefined) return { problem: error.message }
  const file = data.find(({ option, word }) => option !== 'data-raw' && word.text.startsWith('@'))
  if (file !== undefined)
    return { problem: `The body is in the file ${file.word.text.slice(1)}. Paste its text instead.` }
  const sent = data.map(({ word }) => word.text).join('&')
  const query = [queryOf(url?.text ?? ''), isGet ? sent : ''].filter(part => part !== '').join('&')
  if (headers.length === 0 && query === '')
    return { problem: 'The curl command has no -H, so it has no signature.' }
  return {
    headers: headers.map(({ name, value }) => [name, value.text]),
    bodies: [isGet ? '' : sent],
    method: method?.name ?? (isHead ? 'HEAD' : isGet || data.length === 0 ? 'GET' : 'POST'),
    query,
  }
}

function bodiesOf(body: string): readonly [string, ...string[]] {
  const bare = body.replace(/\r?\n$/, '')
  return bare === body ? [body] : [body, bare]
}
