import type { ServerResponse } from 'node:http'
import type { KeySource } from '#main/signing/fetched-keys.ts'
import type { KeyStore } from './key-store.ts'
import type { OpenConnections } from './open-connections.ts'
import type { BodyMemory } from './read-body.ts'

/** Requests that wait for public keys at the same time. */
const maxWaiting = 200

/**
 * Returns a function that lets a request wait for public keys, and calls `again` once they have been asked for, whether
 * they are known then or not. All that wait for the same keys share one fetch. Its result is whether there is memory for
 * the body, which counts as long as it waits.
 *
 * @param parts.keys left out if no keys are fetched.
 * @param parts.overhead bytes that a request takes besides its body.
 */
export function createKeyWait(parts: {
  readonly keys: KeyStore | undefined
  readonly memory: BodyMemory
  readonly connections: OpenConnections
  readonly overhead: number
}) {
  const { keys, memory, connections, overhead } = parts
  let waiting = 0
  return (response: ServerResponse, bodyBytes: number, needs: KeySource, again: () => void): boolean => {
    if (keys === undefined || waiting >= maxWaiting) {
      again()
      return true
    }
    const bytes = bodyBytes + overhead
    if (!memory.take(bytes)) return false
    waiting++
    void keys.refresh(needs).then(() => {
      waiting--
      memory.free(bytes)
      if (!response.headersSent && !connections.isStopped(response.req.socket)) again()
    })
    return true
  }
}
