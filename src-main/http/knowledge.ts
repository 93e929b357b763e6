import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import type { FastifyInstance } from 'fastify'
import type { Knowledge } from '#main/platform/knowledge/knowledge.ts'
import { restPrefix } from '#shared/contract/base.ts'
import { AddFileQuery } from '#shared/contract/platform.ts'
import { ServiceError } from '#shared/errors.ts'
import { defaultWorkspaceId } from '#shared/model/identifiers.ts'
import { issuesOf } from '#shared/model/issue.ts'
import { KnowledgeFileName, maxKnowledgeFileBytes } from '#shared/model/platform/knowledge.ts'
import type { Authority } from './authorization.ts'
import { refuse } from './errors.ts'

type KnowledgeParts = { readonly knowledge: Knowledge; readonly authority: Authority }

/** Serves `POST /api/v1/platform/knowledge`, which streams a file to the disk: as the body, or in a form. */
export async function serveKnowledge(app: FastifyInstance, parts: KnowledgeParts): Promise<void> {
  const { knowledge, authority } = parts
  await app.register(async scope => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    scope.post(`${restPrefix}/platform/knowledge`, {
      async onRequest(request, reply) {
        if (!authority.isAuthorized(request)) return refuse(reply, authority.refusal(request, reply))
      },
      async handler(request, reply) {
        const parsed = AddFileQuery.strict().safeParse(request.query)
        if (!parsed.success) throw invalid(issuesOf(parsed.error))
        const { workspaceId = defaultWorkspaceId, agentId, name, ...chosen } = parsed.data
        const length = Number(request.headers['content-length'] ?? 0)
        // The boundaries of a form take a little more.
        if (length > maxKnowledgeFileBytes + 64 * 1024) throw new ServiceError('file_too_large')
        const cancel = new AbortController()
        reply.raw.once('close', () => cancel.abort())
        const isForm = /^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '')
        const sent = isForm
          ? await fileInForm(request.raw)
          : { stream: request.raw, name: undefined, ended: Promise.resolve() }
        const named = KnowledgeFileName.safeParse(name ?? sent.name)
        if (!named.success) {
          sent.stream.resume()
          throw invalid([{ path: 'name', message: messageOf(named.error) }])
        }
        const file = { workspaceId, agentId, name: named.data, chosen }
        return knowledge.add(file, bytesOf(sent), cancel.signal)
      },
    })
  })
}

const messageOf = ({ issues: [issue] }: { issues: { message: string }[] }) => issue?.message ?? ''

function invalid(issues: { path: string; message: string }[]): ServiceError {
  return new ServiceError('invalid_input', { data: { issues } })
}

type SentFile = {
  readonly stream: Readable
  readonly name: string | undefined
  /** Resolves when what follows the file has ended as well, and rejects if it is refused. */
  readonly ended: Promise<void>
}

/** Returns the bytes of a file. They end when all that was sent has ended. */
async function* bytesOf({ stream, ended }: SentFile): AsyncGenerator<Uint8Array> {
  // A destroyed request cannot be drained, so its connection could not be used again.
  yield* stream.iterator({ destroyOnReturn: false })
  await ended
}

/** A form has few fields beside its file. Parsing many takes long. */
const maxParts = 10

/** Returns the file of a form as soon as it begins. @throws ServiceError `invalid_input`. */
function fileInForm(request: IncomingMessage): Promise<SentFile> {
  const { promise, resolve, reject } = Promise.withResolvers<SentFile>()
  const ended = Promise.withResolvers<void>()
  // Nobody waits for the end of a form whose file is refused.
  ended.promise.catch(() => {})
  let file: Readable | null = null

  /** Refuses the form. The rest is received, so that the connection can be used again, but not parsed. */
  function refuseForm(detail: string, cause?: unknown): void {
    const error = new ServiceError('invalid_input', { detail, cause })
    request.unpipe()
    request.resume()
    reject(error)
    ended.reject(error)
    // So that half a file is not taken for a whole one.
    file?.destroy(error)
  }
  const refuseIncomplete = (cause?: unknown) => refuseForm('The form is not complete. Send it again.', cause)

  const headers = { ...request.headers, 'content-type': request.headers['content-type'] ?? '' }
  let form: BusboyInstance
  try {
    form = new Busboy({ headers, limits: { files: 1, parts: maxParts, fieldSize: 1024, headerPairs: 50 } })
  } catch (cause) {
    refuseForm('The form has no boundary.', cause)
    return promise
  }
  form.on('file', (_field, stream, name) => {
    file = stream
    // Busboy only emits the error, perhaps before anybody reads the file, and an error without a listener would end
    // the process.
    stream.on('error', refuseIncomplete)
    resolve({ stream, name: name || undefined, ended: ended.promise })
  })
  form.on('error', refuseIncomplete)
  request.once('close', () => {
    if (!request.complete) refuseIncomplete()
  })
  form.on('partsLimit', () => refuseForm(`The form has more than ${maxParts} parts. Send the file alone.`))
  form.on('filesLimit', () => refuseForm('The form has more than one file. Send one at a time.'))
  form.on('finish', () => {
    if (file === null) refuseForm('The form has no file.')
    else ended.resolve()
  })
  request.pipe(form)
  return promise
}
