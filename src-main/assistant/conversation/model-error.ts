import { type AnswerErrorCode, answerErrors } from '#shared/errors/answer.ts'

/** Why a model server gave no usable answer. */
export class ModelError extends Error {
  readonly code: AnswerErrorCode

  /** @param detail a more specific message than the table's. */
  constructor(code: AnswerErrorCode, detail?: string, cause?: unknown) {
    super(detail ?? answerErrors[code].message, { cause })
    this.name = 'ModelError'
    this.code = code
  }
}

/** The longest text of a model server that a message quotes. */
const maxQuote = 300

/**
 * Returns the error for a status that is not 2xx.
 *
 * @param status null for an error that a server reports in place of an answer, or within one.
 * @param body of the response.
 */
export function errorOfStatus(status: number | null, body: string, host: string): ModelError {
  const said = messageIn(body)
  const quote = said === '' ? '' : ` It says: “${said}”`
  const of = (code: AnswerErrorCode, sentence: string = answerErrors[code].message) =>
    new ModelError(code, `${sentence}${quote}`)
  if (
    /tool/i.test(said) &&
    /not support|unsupported|does not|doesn.t|cannot|no support|enable-auto-tool/i.test(said)
  )
    return of('model_without_tools')
  if (/context/i.test(said) && /length|window|exceed|too (long|large)|maximum/i.test(said))
    return of('context_full')
  if (status === 401 || status === 403)
    return of('model_unauthorized', `${host} refused the key (status ${status}).`)
  if (status === 404)
    return of(
      'model_not_found',
      `${host} does not have this model or path (status 404). Check the model’s name, and the base URL: it usually ends in /v1.`,
    )
  if (status === 429)
    return of('model_rate_limited', `${host} has too many requests, or its quota is used up (status 429).`)
  if (status === null) return of('model_refused', `${host} reported an error.`)
  if (status >= 300 && status < 400)
    return of(
      'model_refused',
      `${host} redirects to another address (status ${status}), which is not followed. Correct the base URL.`,
    )
  return of('model_refused', `${host} refused the request with status ${status}.`)
}

/** Returns the message in an error body, shortened; the forms of OpenAI, Ollama and others. */
function messageIn(body: string): string {
  return shorten(messageOf(parse(body)) ?? (/^\s*</.test(body) ? '' : body))
}

/** @param levels how deep the message may be, so that a body of nested errors does not exhaust the stack. */
function messageOf(value: unknown, levels = 4): string | null {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null || levels === 0) return null
  for (const name of ['error', 'message', 'detail']) {
    const found = Object.hasOwn(value, name) ? messageOf(Reflect.get(value, name), levels - 1) : null
    if (found !== null) return found
  }
  return null
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}

/** Ends before the word that it cuts: the mask would not recognize a part of a key. */
function shorten(text: string): string {
  const start = text.slice(0, 4 * maxQuote)
  const line = start.replace(/\s+/g, ' ').trim()
  if (start === text && line.length <= maxQuote) return line
  const cut = line.slice(0, maxQuote)
  return `${cut.slice(0, Math.max(0, cut.lastIndexOf(' ')))}…`
}
