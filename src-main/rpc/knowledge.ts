import { defaultWorkspaceId } from '#shared/model/identifiers.ts'
import { maxUploadPartBytes } from '#shared/model/platform/knowledge.ts'
import { deletedOne, type Handlers, type RpcParts } from './context.ts'

type Given = { readonly workspaceId?: string | undefined; readonly agentId: string }
const scopeOf = ({ workspaceId = defaultWorkspaceId, agentId }: Given) => ({ workspaceId, agentId })

export function knowledge({ knowledge }: RpcParts): Handlers['platform']['knowledge'] {
  return {
    list: ({ input }) => knowledge.list(scopeOf(input)),
    search: ({ input: { query, fileId, limit, ...given } }) =>
      knowledge.search({ ...scopeOf(given), query, fileId, limit }),
    get: ({ input: { fileId } }) => knowledge.get(fileId),
    text: ({ input: { fileId, ...range } }) => knowledge.text(fileId, range),
    read: ({ input: { fileId, ...chosen }, signal }) => knowledge.read(fileId, chosen, signal),
    remove: ({ input: { fileId } }) => deletedOne(knowledge.remove(fileId)),
    startUpload: async ({ input: { name, bytes, ...given } }) => ({
      uploadId: await knowledge.startUpload({ ...scopeOf(given), name }, bytes),
      partBytes: maxUploadPartBytes,
    }),
    addPart: async ({ input: { uploadId, offset, base64 } }) => ({
      bytes: await knowledge.addPart(uploadId, offset, Buffer.from(base64, 'base64')),
    }),
    finishUpload: ({ input: { uploadId }, signal }) => knowledge.finishUpload(uploadId, signal),
    cancelUpload: ({ input: { uploadId } }) => deletedOne(knowledge.cancelUpload(uploadId)),
  }
}
