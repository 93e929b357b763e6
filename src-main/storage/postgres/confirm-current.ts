import { ServiceError } from '#shared/errors.ts'
import type { PostgresConfigStore } from './config-store.ts'
import { fencedOff } from './fence.ts'
import type { Node } from './node.ts'
import type { Pool } from './pool.ts'

type Parts = {
  readonly pool: Pool
  readonly config: Pick<PostgresConfigStore, 'known' | 'refresh'>
  readonly node: Pick<Node, 'told'>
  /** See `isCurrent` of the storage. */
  readonly isCurrent: () => boolean
  /** Returns the version by which this node decides. */
  readonly version: () => number
}

/**
 * Returns the function `confirmCurrent` of a storage: it asks the database whether this node's configuration is fenced off,
 * and reads a newer one then. Those who wait at the same time share a question that begins after the last of them has come.
 */
export function createConfirmCurrent({ pool, config, node, isCurrent, version }: Parts): () => Promise<void> {
  let underWay: Promise<void> = Promise.resolve()
  let next: Promise<void> | null = null

  async function isUnfenced(): Promise<boolean> {
    return pool.use(async connection => {
      const [head] = await connection.query(readFence)
      return connection.server === config.known().server && Number(head?.fenced) <= version()
    })
  }

  async function ask(): Promise<void> {
    if (await isUnfenced()) return
    await config.refresh()
    // Until the database knows what this node has read, a change need not ask it.
    await node.told()
    if (!(await isUnfenced())) throw notCurrent(fencedOff)
  }

  return async () => {
    if (!isCurrent()) throw notCurrent('The database has not confirmed this service for too long.')
    next ??= underWay
      .catch(() => {})
      .then(() => {
        next = null
        underWay = ask()
        return underWay
      })
    return next
  }
}

const notCurrent = (detail: string) => new ServiceError('storage_unavailable', { detail })

const readFence = { name: 'read_fence', text: 'SELECT fenced FROM config_head' }
