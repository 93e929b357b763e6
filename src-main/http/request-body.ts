import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isBeyond, isNestedDeeper } from '#main/json/json-depth.ts'
import { createPositions, type TextPosition } from '#main/json/text-position.ts'
import { readWhole, TooLongError } from '#main/lib/growing-buffer.ts'
import { ServiceError } from '#shared/errors.ts'
import { maxDepth } from '#shared/json/depth.ts'
import { diagnoseJson } from '#shared/json/diagnose-json.ts'
import { maxWorkflowBytes, maxWorkflowValues } from '#shared/model/workflow.ts'

/** Enough for an import of 16 MiB as a JSON string, in which quotes and line breaks take two bytes. */
export const maxRequestBytes = 40 * 1024 * 1024

/**
 * Reads the body of a call. Fastify would keep each chunk as an object, so a body in chunks of 1 byte would take 400
 * times its size.
 *
 * @param tooLarge the error for a longer body.
 * @throws ServiceError `tooLarge`; `invalid_input` if the body is incomplete.
 */
export async function readRequestBody(
  request: IncomingMessage,
  maxBytes: number,
  tooLarge: ServiceError,
): Promise<Buffer> {
  if (Number(request.headers['content-length']) > maxBytes) throw tooLarge
  return readWhole(request, maxBytes).catch(cause => {
    throw cause instanceof TooLongError ? tooLarge : new ServiceError('invalid_input', { cause })
  })
}

/** Limits of a body. */
type BodyBounds = { readonly maxBytes: number; readonly maxValues: number; readonly tooLarge?: string }

/**
 * Workflows have small limits, because they are checked on the thread of the listener. A document may be a string of JSON,
 * which has up to twice its bytes; the payload of a test is only parsed and stored.
 */
const bounds = {
  save: {
    maxBytes: maxWorkflowBytes,
    maxValues: maxWorkflowValues,
    tooLarge: 'A workflow has at most 512 KiB of JSON.',
  },
  import: {
    maxBytes: 2 * maxWorkflowBytes,
    maxValues: maxWorkflowValues,
    tooLarge: 'The body has at most 1 MiB.',
  },
  test: { maxBytes: 1024 * 1024, maxValues: 20_000, tooLarge: 'The body of a test has at most 1 MiB.' },
  other: { maxBytes: maxRequestBytes, maxValues: Number.POSITIVE_INFINITY },
} satisfies Record<string, BodyBounds>

function boundsOf({ url }: FastifyRequest): BodyBounds {
  // Parsed as the handler does, which resolves dot segments.
  const steps = new URL(url, 'http://service').pathname.split('/').filter(step => step !== '')
  if (!steps.includes('workflows')) return bounds.other
  const last = steps.at(-1)
  return last === 'import' || last === 'test' ? bounds[last] : bounds.save
}

/**
 * Makes a scope read JSON objects as bodies. An empty body counts as `{}`, and a missing Content-Type as
 * application/json. Returns a function that gives the text of a request's body; undefined if there is none.
 *
 * @param takesLists whether the body of a request can also be a list.
 */
export function readJsonBodies(
  scope: FastifyInstance,
  takesLists: (request: FastifyRequest) => boolean = () => false,
): (request: FastifyRequest) => string | undefined {
  const texts = new WeakMap<object, string>()
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage) => {
    const { maxBytes, maxValues, tooLarge } = boundsOf(request)
    const refused = new ServiceError('body_too_large', tooLarge === undefined ? {} : { detail: tooLarge })
    const body = await readRequestBody(payload, maxBytes, refused)
    const { value, text } = readJsonBody(body, request.headers['content-type'], {
      takesLists: takesLists(request),
      maxValues,
    })
    texts.set(value, text)
    return value
  })
  return request => {
    request.body ??= {}
    return request.body instanceof Object ? texts.get(request.body) : undefined
  }
}

/**
 * @param maxValues counted before the text is parsed.
 * @throws ServiceError `invalid_input`, `unsupported_media_type`.
 */
export function readJsonBody(
  body: Buffer,
  contentType: string | undefined,
  { takesLists = false, maxValues = Number.POSITIVE_INFINITY } = {},
): { readonly value: object; readonly text: string } {
  if (body.length === 0) return { value: {}, text: '{}' }
  if (!isJson(contentType)) throw new ServiceError('unsupported_media_type')
  if (!isUtf8(body)) throw refusal('The body is not valid UTF-8.')
  const text = body.toString('utf8')
  if (isBeyond(text, { levels: maxDepth, values: maxValues }))
    throw refusal(
      isNestedDeeper(text, maxDepth)
        ? `The body is nested deeper than ${maxDepth} levels.`
        : `The body has more than ${maxValues} JSON values.`,
    )
  const value = parse(text)
  if (typeof value !== 'object' || value === null || (Array.isArray(value) && !takesLists))
    throw refusal(`The body must be a JSON object${takesLists ? ' or a list' : ''}.`)
  return { value, text }
}

/**
 * Returns whether a body may be JSON. Forms of other sites can send other types without a preflight, so those are not
 * even parsed.
 */
export function isJson(contentType: string | undefined): boolean {
  return contentType === undefined || /^application\/json\s*(;|$)/i.test(contentType)
}

/** Longest text whose mistakes are looked for: that takes longer than parsing, and on the thread of the listener. */
const maxDiagnosed = 1024 * 1024

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const wrong = 'The body is not valid JSON.'
    if (text.length > maxDiagnosed) throw refusal(wrong, cause)
    const [problem] = diagnoseJson(text)
    if (problem === undefined) throw refusal(wrong, cause)
    const { line, column } = createPositions(text)(problem.offset)
    throw refusal(`${wrong} Line ${line}, column ${column}: ${problem.message}`, cause, { line, column })
  }
}

function refusal(message: string, cause?: unknown, at: Partial<TextPosition> = {}): ServiceError {
  return new ServiceError('invalid_input', {
    detail: message,
    data: { issues: [{ path: '', message, ...at }] },
    cause,
  })
}
