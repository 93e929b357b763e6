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
export function createConfirmCurrent({
  pool,
  config,
  node,
  isCurrent,
  version,
}: Parts): (decidedBy?: number) => Promise<void> {
  let underWay: Promise<unknown> = Promise.resolve()
  let next: Promise<number> | null = null

  /** Returns the lowest version that is not fenced off; infinity if this node knows the configuration of another server. */
  async function lowest(): Promise<number> {
    return pool.use(async connection => {
      const [head] = await connection.query(readFence)
      return connection.server === config.known().server ? Number(head?.fenced) : Number.POSITIVE_INFINITY
    })
  }

  async function ask(): Promise<number> {
    const before = await lowest()
    if (before <= version()) return before
    await config.refresh()
    // Until the database knows what this node has read, a change need not ask it.
    await node.told()
    return lowest()
  }

  async function askAfter(before: Promise<unknown>): Promise<number> {
    await before.catch(() => {})
    next = null
    const asking = ask()
    underWay = asking
    return asking
  }

  return async decidedBy => {
    if (!isCurrent()) throw notCurrent('The database has not confirmed this service for too long.')
    next ??= askAfter(underWay)
    if ((await next) > (decidedBy ?? version())) throw notCurrent(fencedOff)
  }
}

const notCurrent = (detail: string) => new ServiceError('storage_unavailable', { detail })

const readFence = { name: 'read_fence', text: 'SELECT fenced FROM config_head' }
