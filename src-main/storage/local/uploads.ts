import { hash } from 'node:crypto'
import { appendFile } from 'node:fs/promises'
import type { KnowledgeBounds, KnowledgeStore, KnowledgeUpload, StagedFile } from '../knowledge.ts'
import { type createStagedFiles, throwUnavailable } from '../staged-files.ts'

type Upload = KnowledgeUpload & {
  readonly staged: StagedFile
  bytes: number
  usedAt: number
  /** The piece that is being written; null if none is. */
  writing: Promise<void> | null
  /** Identifies the last piece, so that it is recognized when it is sent again. */
  last: { readonly offset: number; readonly sha256: string } | null
}

/** Creates the uploads of a process. Their bytes go to temporary files. */
export function localUploads(
  files: ReturnType<typeof createStagedFiles>,
  { mostUploads, uploadMs }: Pick<KnowledgeBounds, 'mostUploads' | 'uploadMs'>,
  clock: () => number,
): Pick<KnowledgeStore, 'startUpload' | 'addPiece' | 'finishUpload' | 'cancelUpload'> {
  const uploads = new Map<string, Upload>()
  let starting = 0

  async function cancelUpload(uploadId: string): Promise<boolean> {
    const upload = uploads.get(uploadId)
    if (upload === undefined) return false
    uploads.delete(uploadId)
    // A write that has begun could create the file again.
    await upload.writing?.catch(() => {})
    await upload.staged.discard()
    return true
  }

  return {
    cancelUpload,
    async startUpload(upload) {
      for (const [uploadId, { usedAt }] of uploads)
        if (usedAt <= clock() - uploadMs) await cancelUpload(uploadId)
      if (uploads.size + starting >= mostUploads) return false
      starting++
      try {
        const staged = await files.create()
        await appendFile(staged.path, '', { mode: 0o600 }).catch(throwUnavailable)
        uploads.set(upload.uploadId, {
          ...upload,
          staged,
          bytes: 0,
          usedAt: clock(),
          writing: null,
          last: null,
        })
        return true
      } finally {
        starting--
      }
    },
    async addPiece(uploadId, offset, piece) {
      const upload = uploads.get(uploadId)
      // Perhaps the same piece is still on its way.
      if (upload?.writing != null && offset === upload.bytes) await upload.writing.catch(() => {})
      if (upload === undefined || !uploads.has(uploadId)) return null
      const { bytes, last } = upload
      if (upload.writing !== null) return { bytes, refused: 'busy' }
      const sha256 = hash('sha256', piece)
      if (offset !== bytes) {
        const isLast = offset === last?.offset && offset + piece.length === bytes
        return { bytes, refused: isLast && sha256 === last.sha256 ? null : 'misplaced' }
      }
      if (offset + piece.length > upload.size) return { bytes, refused: 'too_large' }
      upload.usedAt = clock()
      upload.writing = appendFile(upload.staged.path, piece)
      try {
        await upload.writing
      } catch (error) {
        await cancelUpload(uploadId)
        return throwUnavailable(error)
      }
      if (!uploads.has(uploadId)) return null
      upload.writing = null
      upload.bytes += piece.length
      if (piece.length > 0) upload.last = { offset, sha256 }
      return { bytes: upload.bytes, refused: null }
    },
    async finishUpload(uploadId) {
      const upload = uploads.get(uploadId)
      if (upload === undefined) return null
      const { staged, bytes, size } = upload
      if (bytes !== size) return { ...upload, staged: null }
      uploads.delete(uploadId)
      return { ...upload, staged }
    },
  }
}
