import { z } from 'zod'
import type { Rest } from './rest-client.ts'

/** Adds a knowledge file to the default agent. */
export async function addFile({ rest }: { readonly rest: Rest }, name: string, text: string): Promise<void> {
  const bytes = Buffer.from(text)
  const started = await rest('POST', '/platform/knowledge/uploads', {
    ...{ agentId: 'default', name, bytes: bytes.length },
  })
  const { uploadId } = z.object({ uploadId: z.string() }).parse(started.body)
  const path = `/platform/knowledge/uploads/${uploadId}`
  await rest('POST', path, { offset: 0, base64: bytes.toString('base64') })
  const { status, text: answer } = await rest('POST', `${path}/finish`, {})
  if (status !== 200) throw new Error(answer)
}
