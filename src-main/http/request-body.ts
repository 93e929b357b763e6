import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { SharedText } from '#main/importing/document-text.ts'
import { readPieces, readWhole, TooLongError } from '#main/lib/growing-buffer.ts'
import { ServiceError } from '#shared/errors.ts'
import { maxWorkflowBytes, maxWorkflowValues } from '#shared/model/workflow.ts'
import type { ImportBodies } from './import-bodies.ts'
import { readJsonBody } from './json-body.ts'

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
  return readUpTo(request, maxBytes, tooLarge, readWhole)
}

async function readUpTo<Body>(
  request: IncomingMessage,
  maxBytes: number,
  tooLarge: ServiceError,
  read: (request: IncomingMessage, maxBytes: number) => Promise<Body>,
): Promise<Body> {
  if (Number(request.headers['content-length']) > maxBytes) throw tooLarge
  return read(request, maxBytes).catch(cause => {
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

/** Bytes of the body of an import that another thread reads instead of this one. */
const largeImportBytes = 256 * 1024

// Parsed as the handler does, which resolves dot segments.
const stepsOf = ({ url }: FastifyRequest) =>
  new URL(url, 'http://service').pathname.split('/').filter(step => step !== '')

function boundsOf(steps: readonly string[]): BodyBounds {
  if (!steps.includes('workflows')) return bounds.other
  const last = steps.at(-1)
  return last === 'import' || last === 'test' ? bounds[last] : bounds.save
}

/** Returns whether a request imports a document over REST (`import`) or RPC (`imports`). */
const isImport = (steps: readonly string[]) =>
  !steps.includes('workflows') && (steps.includes('import') || steps.includes('imports'))

/** A body of a request besides its value. */
export type ReadBody = {
  /** The JSON; undefined if there is none, or another thread has read it. */
  readonly text?: string
  /** The field `text` of an import, which is cut out of the value because it is long. */
  readonly importText?: SharedText
}

/**
 * Makes a scope read JSON objects as bodies. An empty body counts as `{}`, and a missing Content-Type as
 * application/json. Returns a function that gives the body of a request.
 *
 * @param imports reads the large bodies of imports.
 * @param takesLists whether the body of a request can also be a list.
 */
export function readJsonBodies(
  scope: FastifyInstance,
  imports: ImportBodies,
  takesLists: (request: FastifyRequest) => boolean = () => false,
): (request: FastifyRequest) => ReadBody {
  const bodies = new WeakMap<object, ReadBody>()
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage) => {
    const steps = stepsOf(request)
    const { maxBytes, maxValues, tooLarge } = boundsOf(steps)
    const refused = new ServiceError('body_too_large', tooLarge === undefined ? {} : { detail: tooLarge })
    const type = request.headers['content-type']
    const pieces = isImport(steps)
      ? await readUpTo(payload, maxBytes, refused, readPieces)
      : [await readRequestBody(payload, maxBytes, refused)]
    const bytes = pieces.reduce((sum, { length }) => sum + length, 0)
    if (isImport(steps) && bytes > largeImportBytes) {
      const { value, importText } = await imports.read(pieces, type, payload.socket)
      if (importText !== null) bodies.set(value, { importText })
      return value
    }
    const [first] = pieces
    const body = first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces)
    const { value, text } = readJsonBody(body, type, { takesLists: takesLists(request), maxValues })
    bodies.set(value, { text })
    return value
  })
  return request => {
    request.body ??= {}
    return (request.body instanceof Object ? bodies.get(request.body) : undefined) ?? {}
  }
}
