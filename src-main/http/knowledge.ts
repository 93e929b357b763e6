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
        const sent = isForm ? await fileInForm(request.raw) : { stream: request.raw, name: undefined }
        const named = KnowledgeFileName.safeParse(name ?? sent.name)
        if (!named.success) {
          sent.stream.resume()
          throw invalid([{ path: 'name', message: messageOf(named.error) }])
        }
        const file = { workspaceId, agentId, name: named.data, chosen }
        // A destroyed request cannot be drained, so its connection could not be used again.
        const bytes = sent.stream.iterator({ destroyOnReturn: false })
        return knowledge.add(file, bytes, cancel.signal)
      },
    })
  })
}

const messageOf = ({ issues: [issue] }: { issues: { message: string }[] }) => issue?.message ?? ''

function invalid(issues: { path: string; message: string }[]): ServiceError {
  return new ServiceError('invalid_input', { data: { issues } })
}

const incomplete = (cause: unknown) =>
  new ServiceError('invalid_input', { detail: 'The form is not complete. Send it again.', cause })

type SentFile = { readonly stream: Readable; readonly name: string | undefined }

/** Returns the first file of a form as soon as it begins. @throws ServiceError `invalid_input`. */
function fileInForm(request: IncomingMessage): Promise<SentFile> {
  const { promise, resolve, reject } = Promise.withResolvers<SentFile>()
  const refuseForm = (detail: string, cause?: unknown) =>
    reject(new ServiceError('invalid_input', { detail, cause }))
  const headers = { ...request.headers, 'content-type': request.headers['content-type'] ?? '' }
  let form: BusboyInstance
  try {
    form = new Busboy({ headers, limits: { files: 1, fields: 10, fieldSize: 1024, headerPairs: 50 } })
  } catch (cause) {
    refuseForm('The form has no boundary.', cause)
    return promise
  }
  form.on('file', (_field, stream, name) => {
    // A form that ends too early destroys its file, so that it is not taken for a whole one. Busboy only emits the
    // error, perhaps before anybody reads the file, and an error without a listener would end the process.
    const fail = (cause?: unknown) => void stream.destroy(incomplete(cause))
    stream.on('error', fail)
    form.once('error', fail)
    request.once('close', () => {
      if (!request.complete) fail()
    })
    resolve({ stream, name: name || undefined })
  })
  form.on('error', cause => reject(incomplete(cause)))
  form.on('finish', () => refuseForm('The form has no file.'))
  request.pipe(form)
  return promise
}
