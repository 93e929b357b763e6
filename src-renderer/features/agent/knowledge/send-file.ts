import { client } from '../../../client/client.ts'
import { retryDelay } from '../../../client/follow-live.ts'
import { problemOf } from '../../../ui/problem.ts'
import type { Scope } from '../use-agent.ts'

/** A file whose bytes the browser cannot read. */
export class UnreadableFile extends Error {}

type Progress = (progress: number) => void

/** Sends a file in parts. @throws UnreadableFile, and the service's errors. */
export async function sendFile(scope: Scope, file: File, onProgress: Progress): Promise<void> {
  try {
    await sendParts(scope, file, onProgress)
  } catch (error) {
    // It was lost, or the answer to its end was: a file that is there already is not added twice.
    if (problemOf(error).code !== 'upload_not_found') throw error
    await sendParts(scope, file, onProgress)
  }
}

async function sendParts(scope: Scope, file: File, onProgress: Progress): Promise<void> {
  const { name, size: bytes } = file
  const { knowledge } = client.platform
  const { uploadId, partBytes } = await repeated(() => knowledge.startUpload({ ...scope, name, bytes }))
  try {
    for (let offset = 0; offset < bytes; offset += partBytes) {
      const base64 = await toBase64(file.slice(offset, offset + partBytes))
      await repeated(() => knowledge.addPart({ uploadId, offset, base64 }))
      onProgress(Math.min(1, (offset + partBytes) / bytes))
    }
    await repeated(() => knowledge.finishUpload({ uploadId }))
  } catch (error) {
    // The service also forgets it after a while.
    await knowledge.cancelUpload({ uploadId }).catch(() => {})
    throw error
  }
}

const mostRepeats = 5
const temporary = ['service_unreachable', 'storage_unavailable']

/** Makes a call again while the service, or the node that it reaches, cannot answer. */
async function repeated<Result>(call: () => Promise<Result>): Promise<Result> {
  for (let failures = 0; ; failures++)
    try {
      return await call()
    } catch (error) {
      if (failures === mostRepeats || !temporary.includes(problemOf(error).code)) throw error
      await new Promise(resolve => setTimeout(resolve, retryDelay(failures)))
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
