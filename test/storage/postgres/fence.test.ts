import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { deduplicationKey } from '#main/storage/deduplication-key.ts'
import { openPostgresStores } from '#main/storage/postgres/open-stores.ts'
import { noPostgres } from '../../support/postgres.ts'
import { query } from '../../support/postgres-database.ts'
import { newFolder, sealer } from '../config-fixtures.ts'
import { emptyDatabase } from './open-database.ts'
import { openTemporary } from './open-events.ts'

describe.skipIf(noPostgres !== null)('what was decided by a version that is fenced off', () => {
  const newRun = (key?: string) => ({
    ...{ workflowId: 'wf_a', workspaceId: 'ws_a', connectionId: null, lane: 'wf_a' },
    ...{ queuedAt: 1, summary: '{}', data: '{}' },
    ...(key !== undefined && { deduplicationKey: deduplicationKey('wf_a', key, Date.now(), 60_000) }),
  })
  const counts = async (url: string) =>
    query(url, 'SELECT (SELECT count(*)::int FROM event) AS events, (SELECT count(*)::int FROM run) AS runs')

  async function openAt(first: number) {
    let version = first
    const { url, log, dispose } = await openTemporary({ version: () => version })
    onTestFinished(dispose)
    await query(url, 'UPDATE config_head SET version = 5, fenced = 5')
    const decideBy = (next: number) => {
      version = next
    }
    return { url, log, decideBy }
  }
  const newEvent = (eventId: string) => ({
    ...{ eventId, connectionId: 'conn_a', eventName: 'a', bodyText: '{}', headerLines: '' },
    ...{ receivedAt: Date.now(), repeat: false, replayOf: null },
  })

  it('is not accepted: no event, no run and no key', async () => {
    const { url, log, decideBy } = await openAt(4)
    const refused = { code: 'unavailable' }
    const next = () => newEvent(`evt_${log.nextEvent().toString(36).padStart(11, '0')}`)
    await expect(log.append(next())).rejects.toMatchObject(refused)
    await expect(log.append(next(), [newRun()])).rejects.toMatchObject(refused)
    await expect(log.runs.start([newRun('key')], null)).rejects.toMatchObject(refused)
    expect(await counts(url)).toEqual([{ events: 0, runs: 0 }])
    decideBy(5)
    await log.append(next(), [newRun()])
    const { duplicates } = await log.runs.start([newRun('key')], null)
    expect(duplicates.size).toBe(0)
    expect(await counts(url)).toEqual([{ events: 1, runs: 2 }])
  })

  it('begins no run and no further step, but its results are kept', async () => {
    const { log, decideBy } = await openAt(5)
    await log.runs.start([newRun()], null)
    decideBy(4)
    expect((await log.runs.claim(1, 10_000)).runs).toEqual([])
    decideBy(5)
    const [run] = (await log.runs.claim(1, 10_000)).runs
    if (run === undefined) throw new Error('The run is due.')
    const step = {
      ...{ path: 'a', type: 'call', attempt: 1, startedAt: 1, endedAt: 2, error: null, callId: null },
      ...{ input: null, output: '1', absent: [] },
    }
    expect(await log.runs.record(run, [step])).toBe(true)
    decideBy(4)
    expect(await log.runs.record(run, [{ ...step, path: 'b' }])).toBe(false)
    expect((await log.runs.get(run.runId))?.steps.map(({ path }) => path)).toEqual(['a', 'b'])
    // It goes on at once where it may.
    expect((await log.runs.get(run.runId))?.state).toBe('retrying')
    decideBy(5)
    const [again] = (await log.runs.claim(1, 10_000)).runs
    const end = { state: 'succeeded', endedAt: 3, error: null, discard: false } as const
    decideBy(4)
    expect(again && (await log.runs.finish(again, end))).toBe(true)
  })

  it('is read again before what no statement decides', async () => {
    const url = await emptyDatabase()
    const stores = await openPostgresStores({
      uploadsFolder: await mkdtemp(join(await newFolder(), 'uploads-')),
      ...{ url, sealer, clock: Date.now, historyBounds: {}, lanesOf: () => [], onError() {} },
    })
    onTestFinished(stores.close)
    // Nobody is told of it.
    await query(url, 'UPDATE config_head SET version = version + 1, fenced = version + 1')
    const before = stores.decidesBy()
    await Promise.all([stores.confirmCurrent?.(), stores.confirmCurrent?.()])
    const refused = { code: 'storage_unavailable' }
    // What was decided before is not decided again.
    await expect(stores.confirmCurrent?.(before)).rejects.toMatchObject(refused)
    await stores.confirmCurrent?.(stores.decidesBy())
    const known = 'SELECT config_version = version AS is_newest FROM node, config_head'
    expect(await query(url, known)).toEqual([{ is_newest: true }])
    await query(url, 'ALTER TABLE config_part RENAME TO gone')
    await query(url, 'UPDATE config_head SET version = version + 1, fenced = version + 1')
    await expect(stores.confirmCurrent?.()).rejects.toMatchObject(refused)
    await query(url, 'ALTER TABLE gone RENAME TO config_part')
    await stores.confirmCurrent?.()
  })
})
