import { createHash } from 'node:crypto'
import { createConnection } from '#main/connections/connections.ts'
import type { RandomBytes } from '#main/connections/identifiers.ts'
import type { Config, ConnectionRecord } from '#main/storage/config.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'

export const nowMs = Date.parse('2026-11-21T09:30:00.000Z')
export const now = new Date(nowMs).toISOString()

/** Bytes that differ from call to call and are the same in each run. */
export function countingRandom(): RandomBytes {
  let calls = 0
  return size => createHash('shake256', { outputLength: size }).update(String(calls++)).digest()
}

/** A configuration of one connection, named Shop. */
export function withShop(random: RandomBytes = countingRandom()): { config: Config; shop: ConnectionRecord } {
  const { next, result } = createConnection(newConfig(nowMs), { name: 'Shop' }, now, random)
  return { config: next, shop: result }
}
