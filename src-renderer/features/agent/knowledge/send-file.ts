import { client } from '../../../client/client.ts'
import type { Scope } from '../use-agent.ts'

/** A file whose bytes the browser cannot read. */
export class UnreadableFile extends Error {}

/** Sends a file in parts. @throws UnreadableFile, and the service's errors. */
export async function sendFile(
  scope: Scope,
  file: File,
  onProgress: (progress: number) => void,
): Promise<void> {
  const { name, size: bytes } = file
  const { knowledge } = client.platform
  const { uploadId, partBytes } = await knowledge.startUpload({ ...scope, name, bytes })
  try {
    for (let offset = 0; offset < bytes; offset += partBytes) {
      await knowledge.addPart({
        uploadId,
        offset,
        base64: await toBase64(file.slice(offset, offset + partBytes)),
      })
      onProgress(Math.min(1, (offset + partBytes) / bytes))
    }
    await knowledge.finishUpload({ uploadId })
  } catch (error) {
    // The service also forgets it after a while.
    await knowledge.cancelUpload({ uploadId }).catch(() => {})
    throw error
  }
}

function toBase64(part: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => {
      const url = String(reader.result)
      resolve(url.slice(url.indexOf(',') + 1))
    }
    reader.onerror = () =>
      reject(new UnreadableFile('It cannot be read. It may be a folder, or it was moved. Add its files.'))
    reader.readAsDataURL(part)
  })
}
