import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Config } from '#main/storage/config.ts'
import type { LaneLimit, NewRun } from '#main/storage/runs.ts'
import type { Storage, StorageOptions } from '#main/storage/storage.ts'
import { withVariable } from './config-fixtures.ts'

type Part = Pick<Storage, 'config' | 'runs' | 'clock'>
/** Two handles on the same data. */
type Handles = readonly [Part, Part]

export type OpenedLanes = {
  readonly handles: Handles
  /** Closes both and opens them once more, on the same data. */
  reopen(): Promise<Handles>
  /** Closes both and deletes their data. */
  dispose(): Promise<void>
}
export type OpenLanes = (options: Pick<StorageOptions, 'lanesOf'>) => Promise<OpenedLanes>

/** Tests of how every implementation of Storage applies the limits of lanes. */
export function describeLanes(name: string, open: OpenLanes): void {
  describe(name, () => {
    /** The calls of `lanesOf` by the storage. */
    let asked: { change: 'all' | 'some'; withRuns: readonly string[] }[]
    let opened: OpenedLanes
    let a: Part
    let b: Part

    /** The limit of the lane is a variable of the environment here. */
    const limitIn = (config: Config): LaneLimit => Number(config.environment.get('LIMIT') ?? 0)

    beforeEach(async () => {
      asked = []
      opened = await open({
        lanesOf(config, diff, withRuns = []) {
          asked.push({ change: diff === null ? 'all' : 'some', withRuns })
          return diff === null || diff.environment.length > 0 ? [['lane', limitIn(config)]] : []
        },
      })
      ;[a, b] = opened.handles
    })
    afterEach(() => opened.dispose())

    const setLimit = (part: Part, limit: number) =>
      part.config.update(config => ({ next: withVariable(config, 'LIMIT', String(limit)), result: null }))
    const start = (count: number) => {
      const shared = { workflowId: 'wf_a', workspaceId: 'default', connectionId: null, lane: 'lane' }
      const run: NewRun = { ...shared, queuedAt: a.clock(), summary: '{}', data: '{}' }
      return a.runs.start(Array(count).fill(run), null)
    }
    const claimed = async (part: Part) => (await part.runs.claim(100, 60_000)).runs.length

    it('limits the claims of all as an update says, once it has resolved', async () => {
      await start(10)
      expect(await claimed(b)).toBe(0)
      await setLimit(a, 2)
      expect(await claimed(b)).toBe(2)
      await setLimit(b, 5)
      expect(await claimed(a)).toBe(3)
      await setLimit(a, 0)
      expect(await claimed(b)).toBe(0)
    })

    it('has applied the limits when an update is announced', async () => {
      await start(1)
      const claims: Promise<number>[] = []
      a.config.onChange(() => claims.push(claimed(a)))
      await setLimit(a, 1)
      expect(await Promise.all(claims)).toEqual([1])
    })

    it('keeps the limits over a restart, and names the lanes with runs', async () => {
      await start(3)
      await setLimit(a, 2)
      asked = []
      ;[a, b] = await opened.reopen()
      expect(asked[0]).toEqual({ change: 'all', withRuns: ['lane'] })
      expect(await claimed(b)).toBe(2)
    })
  })
}
