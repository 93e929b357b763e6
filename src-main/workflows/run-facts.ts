import { createHash } from 'node:crypto'
import type { ClaimedRun } from '#main/storage/runs.ts'
import type { RunFacts } from '#shared/workflows/scope.ts'

/** Returns the values of `$run` in the templates of a run. */
export function runFacts({ runId, workflowId, queuedAt, eventId }: ClaimedRun): RunFacts {
  return {
    id: runId,
    queuedAt: new Date(queuedAt).toISOString(),
    uuid: uuidOf(`${workflowId}/${runId}`),
    eventId,
  }
}

/** Returns a UUID of version 8, which is a digest: the same for the same name. */
function uuidOf(name: string): string {
  const digest = createHash('sha256').update(name).digest()
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x80, 6)
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = digest.toString('hex', 0, 16)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
