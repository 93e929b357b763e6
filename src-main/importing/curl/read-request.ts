import { parseArgs } from 'node:util'
import type { SyntaxProblem } from '#shared/json/diagnose-json.ts'
import type { Omission } from '../parse.ts'
import { findHidden, findInName } from './odd-characters.ts'
import { curlOptions, lossOfOption } from './options.ts'
import { type CurlWord, offsetIn, restOf } from './words.ts'

export type CurlHeader = {
  readonly name: string
  readonly value: CurlWord
  /** The word with its name and value. */
  readonly word: CurlWord
  readonly offset: number
}
export type CurlData = {
  readonly option: string
  readonly word: CurlWord
}

/** The request of a curl command. */
export type CurlRequest = {
  readonly url: CurlWord | null
  readonly method: { readonly name: string; readonly offset: number } | null
  readonly isGet: boolean
  readonly isHead: boolean
  readonly headers: readonly CurlHeader[]
  /** The user and password of -u. */
  readonly user: CurlWord | null
  readonly bearer: CurlWord | null
  readonly data: readonly CurlData[]
  /** The fields of -F and files of -T. */
  readonly uploads: readonly CurlData[]
  /** The parts of --url-query. */
  readonly query: readonly CurlData[]
  readonly notes: readonly SyntaxProblem[]
  /** The parts that change the request, and that an action cannot have. */
  readonly lost: readonly Omission[]
  /** Why the words are not what their author means. */
  readonly errors: readonly SyntaxProblem[]
}

const shortsWithValue = new Set(
  Object.values(curlOptions).flatMap(option =>
    option.type === 'string' && 'short' in option ? [option.short] : [],
  ),
)
/** curl has fewer short options. */
const longestGroup = 64

/** Cuts a group of short options such as `-sS`, because parseArgs takes quadratic time for long ones. */
function shortened(word: string): string {
  if (word.length <= longestGroup || !word.startsWith('-') || word.startsWith('--')) return word
  for (let index = 1; index <= longestGroup; index++) if (shortsWithValue.has(word.charAt(index))) return word
  return word.slice(0, longestGroup)
}

/** Parses the words of a curl command. Pure. */
export function readRequest(words: readonly CurlWord[]): CurlRequest {
  const { tokens } = parseArgs({
    args: words.map(({ text }) => shortened(text)),
    options: curlOptions,
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const notes: SyntaxProblem[] = []
  const errors: SyntaxProblem[] = []
  const urls: CurlWord[] = []
  const headers: CurlHeader[] = []
  const data: CurlData[] = []
  const uploads: CurlData[] = []
  const query: CurlData[] = []
  const lost: Omission[] = []
  let method: CurlRequest['method'] = null
  let isGet = false
  let isHead = false
  let user: CurlWord | null = null
  let bearer: CurlWord | null = null

  for (const found of tokens) {
    const at = words[found.index]
    if (at === undefined || found.kind === 'option-terminator') continue
    if (found.kind === 'positional') {
      urls.push(at)
      continue
    }
    const { name, rawName } = found
    const value = found.inlineValue === true ? inlineValue(at, found.value) : words[found.index + 1]
    if (name === 'next') {
      notes.push({ message: 'Only the request before --next is imported.', offset: at.offset })
      break
    }
    if (name === 'get') isGet = true
    else if (name === 'head') isHead = true
    else if (Object.hasOwn(curlOptions, name) && curlOptions[name]?.type === 'string' && value === undefined)
      errors.push({ message: `The option ${rawName} has no value.`, offset: at.offset })
    else if (found.value === undefined || value === undefined) addOther(name, rawName, at.offset)
    else if (name === 'url') urls.push(value)
    else if (name === 'request') method = { name: value.text.toUpperCase(), offset: value.offset }
    else if (name === 'header') addHeader(value)
    else if (name === 'cookie' && isFile(value)) {
      // An empty one only makes curl keep the cookies of answers.
      if (value.text !== '') lost.push({ name: 'cookies', reason: 'they are in a file', offset: at.offset })
    } else if (name === 'user-agent' || name === 'referer' || name === 'cookie')
      headers.push({ name: headerOfOption[name], value, word: value, offset: value.offset })
    else if (name === 'range') headers.push(rangeHeader(value))
    else if (name === 'user') user = value
    else if (name === 'oauth2-bearer') bearer = value
    else if (name === 'url-query') query.push({ option: name, word: value })
    else if (name === 'json' || /^data(-|$)/.test(name)) data.push({ option: name, word: value })
    else if (name === 'form' || name === 'form-string' || name === 'upload-file')
      uploads.push({ option: name, word: value })
    else if (name === 'proto' && /^=?(?:[a-z,]*,)?https?(?:,|$)/i.test(value.text)) continue
    else addOther(name, rawName, at.offset)
  }

  function addHeader(word: CurlWord): void {
    const read = headerOf(word)
    if ('note' in read) notes.push({ message: read.note, offset: word.offset })
    else if ('lost' in read) lost.push({ name: 'headers', reason: read.lost, offset: word.offset })
    else headers.push(...read.headers)
  }

  function addOther(name: string, rawName: string, offset: number): void {
    const use = lossOfOption(name)
    if (use.kind === 'stricter')
      notes.push({ message: `The option ${rawName} is ignored: ${use.reason}.`, offset })
    else if (use.kind === 'lost')
      lost.push({ name: `option ${rawName.slice(0, maxShown)}`, reason: use.reason, offset })
  }

  const [url = null, ...others] = urls
  if (others.length > 0)
    for (const { text, offset } of urls)
      if (schemeOf(text) === '') errors.push({ message: strayWord, offset })
  for (const { offset } of others)
    notes.push({ message: 'Only the first URL is imported, not this one.', offset })
  for (const word of [url, user, bearer, ...headers.map(({ word }) => word)])
    if (word !== null) errors.push(...placed(findHidden(word.text), word))
  for (const { name, word } of headers) errors.push(...placed(findInName(name), word))
  return { url, method, isGet, isHead, headers, user, bearer, data, uploads, query, notes, lost, errors }
}

const headerOfOption = { 'user-agent': 'User-Agent', referer: 'Referer', cookie: 'Cookie' }

const maxShown = 40

/** Returns whether the value of --cookie names a file. */
const isFile = ({ text, hasVariables, otherExpansion }: CurlWord) =>
  !text.includes('=') && !hasVariables && otherExpansion === null

/** Returns the header of --range, which has only the numbers of the bytes. */
function rangeHeader(word: CurlWord): CurlHeader {
  const value = { ...word, text: `bytes=${word.text}`, filled: `bytes=${word.filled}` }
  return { name: 'Range', value, word, offset: word.offset }
}

const placed = (problems: readonly SyntaxProblem[], word: CurlWord) =>
  problems.map(({ message, offset }) => ({ message, offset: offsetIn(word, offset) }))

const strayWord =
  'This word belongs to no option. Put a value with spaces in quotes, and start a URL with http:// or https://.'

/** Returns the scheme at the start of a URL, such as `https://`; empty if there is none. */
export function schemeOf(url: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.exec(url)?.[0] ?? ''
}

/** Returns the value in a word that also contains its option: -XPOST. */
function inlineValue(word: CurlWord, value: string | undefined): CurlWord {
  const before = word.text.length - (value ?? '').length
  return restOf(word, before, before)
}

type ReadHeader =
  | { readonly headers: readonly CurlHeader[] }
  | { readonly note: string }
  | { readonly lost: string }

function headerOf(value: CurlWord): ReadHeader {
  const { text, filled, offset } = value
  if (text.startsWith('@')) return { lost: 'they are in a file, which an import does not read' }
  const colon = text.indexOf(':')
  const isEmpty = colon === -1 && text.trimEnd().endsWith(';')
  if (colon === -1 && !isEmpty)
    return value.otherExpansion !== null
      ? { lost: 'the shell creates them' }
      : { note: 'This header has no colon (:), so it is ignored, as by curl.' }
  // With a semicolon, curl sends an empty header; without a value, it removes its own.
  if (isEmpty) return { headers: [emptyHeader(value)] }
  if (text.slice(colon + 1).trim() === '') return { headers: [] }
  const name = text.slice(0, colon).trim()
  const rest = restOf(value, colon + 1, filled.indexOf(':') + 1)
  return {
    headers: [
      { name, value: { ...rest, text: rest.text.trim(), filled: rest.filled.trim() }, word: value, offset },
    ],
  }
}

function emptyHeader(word: CurlWord): CurlHeader {
  const name = word.text.trimEnd().slice(0, -1).trim()
  return { name, value: { ...restOf(word, word.text.length, word.filled.length) }, word, offset: word.offset }
}
