import { describe, expect, it } from 'vitest'
import { createCounts, mostLabelled, otherConnections } from '#main/metrics/counts.ts'
import type { Config, ConnectionRecord } from '#main/storage/config.ts'
import { diffConfig } from '#main/storage/config-diff.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import { recordNamed, startOfTests } from '../support/connection-records.ts'

type OnChange = Parameters<ConfigStore['onChange']>[0]

/** A store of connections with these names, oldest first. */
function storeOf(names: readonly string[]) {
  const configOf = (some: readonly string[]): Config => ({
    ...newConfig(startOfTests),
    connections: new Map(some.map(name => [`conn_${name}`, known(name)])),
  })
  const records = new Map<string, ConnectionRecord>()
  function known(name: string): ConnectionRecord {
    const record = records.get(name) ?? recordNamed(name)
    records.set(name, record)
    return record
  }
  let config = configOf(names)
  let listener: OnChange = () => {}
  return {
    snapshot: () => config,
    onChange(of: OnChange) {
      listener = of
      return () => {}
    },
    become(next: readonly string[]) {
      const previous = config
      config = configOf(next)
      listener(config, previous, diffConfig(previous, config))
    },
  }
}

const refusal = (connectionId: string | null) => ({
  kind: 'event.rejected' as const,
  ...{ id: 'att_1', at: 0, connectionId, code: 'invalid_signature' as const },
  ...{ detail: undefined, bytes: 0, tookMs: 1, isBodyStored: false },
})

function refused(counts: ReturnType<typeof createCounts>): Record<string, number> {
  return Object.fromEntries(
    counts
      .connections()
      .flatMap(([id, { refused }]) =>
        refused.size === 0 ? [] : [[id, refused.get('invalid_signature') ?? 0]],
      ),
  )
}

const names = Array.from({ length: mostLabelled + 2 }, (_, index) => `c${String(index).padStart(4, '0')}`)

describe('the counts of connections', () => {
  it('are those of the oldest, and of all others together', () => {
    const counts = createCounts(storeOf(names))
    for (const name of names) counts.add(refusal(`conn_${name}`))
    counts.add(refusal(null))
    counts.add(refusal('conn_gone'))
    expect(counts.connections()).toHaveLength(mostLabelled + 1)
    expect(refused(counts)).toMatchObject({ conn_c0000: 1, conn_c0999: 1, [otherConnections]: 4 })
  })

  it('begin at zero for the next connection when one is deleted, and no count moves', () => {
    const store = storeOf(names)
    const counts = createCounts(store)
    for (const name of names) counts.add(refusal(`conn_${name}`))
    store.become(names.slice(1))
    for (const name of names.slice(1)) counts.add(refusal(`conn_${name}`))
    const all = refused(counts)
    expect(all.conn_c0000).toBeUndefined()
    expect(all).toMatchObject({ conn_c0001: 2, conn_c1000: 1, [otherConnections]: 3 })
  })

  it('stay with a connection when an older one is restored', () => {
    const store = storeOf(names.slice(1))
    const counts = createCounts(store)
    store.become(names)
    for (const name of names) counts.add(refusal(`conn_${name}`))
    expect(refused(counts)).toMatchObject({ conn_c1000: 1, [otherConnections]: 2 })
  })

  it('are given to a new connection while there is room', () => {
    const store = storeOf(['a'])
    const counts = createCounts(store)
    store.become(['a', 'b'])
    counts.add(refusal('conn_b'))
    expect(refused(counts)).toEqual({ conn_b: 1 })
  })
})
