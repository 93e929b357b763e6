import { beforeEach, describe, expect, it } from 'vitest'
import { deduplicationKey } from '#main/storage/deduplication-key.ts'
import type { NewEvent } from '#main/storage/event-log.ts'
import type { NewRun } from '#main/storage/runs.ts'
import { type EventParts, eventMaker } from './event-log-events.ts'
import type { OpenedRuns, OpenRuns, RunsOpener } from './runs-contract.ts'

const hour = 3_600_000

/** Tests of `appendAll`, which every implementation of EventLog must pass. */
export function describeEventsOfOneRequest(open: OpenRuns): void {
  describe('the events of one request', () => {
    let opener: RunsOpener
    let opened: OpenedRuns
    let now: number
    let make: ReturnType<typeof eventMaker>

    const openNew = async (mostWaiting?: number) => {
      now = Date.UTC(2026, 0, 1)
      make = eventMaker(() => now)
      opener = await open({ clock: () => now, ...(mostWaiting !== undefined && { mostWaiting }) })
      opened = opener.opened
      return () => opener.dispose()
    }
    beforeEach(() => openNew())

    const newRun = (changes: Partial<NewRun> = {}): NewRun => ({
      ...{ workflowId: 'wf_a', workspaceId: 'ws_a', connectionId: 'conn_a', lane: 'wf_a' },
      ...{ queuedAt: now, summary: '{"eventName":"order.created"}', data: '{"orderId":1}', ...changes },
    })
    const withRuns = (runs: readonly NewRun[] = [], parts?: EventParts): NewEvent => ({
      event: make(parts),
      runs,
    })
    const key = (text = 'event 1') => deduplicationKey('conn_a', text, now, hour)
    const once = (text: string) => newRun({ deduplicationKey: deduplicationKey('wf_a', text, now, hour) })
    const stored = async () => (await opened.log.list('conn_a', { limit: 200 })).events
    const started = async () => (await opened.runs.list({ limit: 200 })).runs
    const remade = ({ runs }: NewEvent): NewEvent => ({ event: make(), runs })
    const idsOf = (events: readonly NewEvent[]) => events.map(({ event }) => event.eventId)

    it('are stored with their runs, and the answer says what became of the runs of each', async () => {
      const all = [
        withRuns([newRun(), newRun({ workflowId: 'wf_b' })], { bodyText: '{"type":"a","id":1}' }),
        withRuns([], { bodyText: '{"type":"b","id":12345678901234567890}', reading: '{"data":"body"}' }),
        withRuns([newRun()], { eventName: 'c' }),
      ]
      const outcomes = await opened.log.appendAll(all, true)
      expect(outcomes.map(({ ids }) => ids.length)).toEqual([2, 0, 1])
      expect(outcomes.some(({ isRepeated }) => isRepeated)).toBe(false)
      opened = await opener.reopen()
      expect(await stored()).toEqual(all.map(({ event }) => event).toReversed())
      const [first, , third] = idsOf(all)
      expect((await started()).map(({ runId, eventId }) => [runId, eventId]).toReversed()).toEqual([
        ...(outcomes[0]?.ids ?? []).map(id => [id, first]),
        ...(outcomes[2]?.ids ?? []).map(id => [id, third]),
      ])
    })

    it('may be a thousand', async () => {
      const all = Array.from({ length: 1000 }, () => withRuns([newRun()]))
      const outcomes = await opened.log.appendAll(all, true)
      expect(new Set(outcomes.flatMap(({ ids }) => ids)).size).toBe(1000)
      expect((await stored()).map(({ eventId }) => eventId)).toEqual(idsOf(all).slice(-200).toReversed())
    })

    it.each([true, false])(
      'may start fan-outs, of which each run is there once (stored: %s)',
      async persists => {
        const workflowIds = ['wf_a', 'wf_b', 'wf_c']
        const { workflowId: _workflow, lane: _lane, ...shared } = newRun()
        const all = Array.from({ length: 4 }, () => withRuns([]))
        const events = all.map(({ event }) => ({ event, runs: [{ ...shared, workflowIds }] }))
        const outcomes = await opened.log.appendAll(events, persists, key())
        expect(outcomes.map(({ isRepeated }) => isRepeated)).toEqual([false, false, false, false])
        expect(await opened.log.appendAll(events.map(remade), persists, key())).toMatchObject(
          Array(4).fill({ isRepeated: true, ids: [] }),
        )
        for (const lane of workflowIds) await opener.setLane(lane, 10)
        const { runs: claimed } = await opened.runs.claim(100, 60_000)
        const names = (of: readonly { readonly eventId: string | null; readonly workflowId: string }[]) =>
          of.map(({ eventId, workflowId }) => `${eventId} ${workflowId}`).toSorted()
        const expected = idsOf(all).flatMap(eventId => workflowIds.map(id => `${eventId} ${id}`))
        expect(names(claimed)).toEqual(expected.toSorted())
        expect(names(await started())).toEqual(expected.toSorted())
        expect(await stored()).toHaveLength(persists ? 4 : 0)
      },
    )

    it('start their runs without being stored where their connection keeps none', async () => {
      const all = [withRuns([newRun()]), withRuns(), withRuns([newRun()])]
      const outcomes = await opened.log.appendAll(all, false)
      expect(await stored()).toEqual([])
      expect((await started()).map(({ runId }) => runId).toReversed()).toEqual(
        outcomes.flatMap(({ ids }) => ids),
      )
      expect((await started()).map(({ eventId }) => eventId)).toEqual([idsOf(all)[2], idsOf(all)[0]])
    })

    it.each([true, false])('are left out as a whole if their key is kept (stored: %s)', async persists => {
      const append = () => {
        const all = [withRuns([newRun()]), withRuns([newRun()]), withRuns([newRun()])]
        return opened.log.appendAll(all, persists, key())
      }
      const first = await append()
      expect(first.map(({ isRepeated }) => isRepeated)).toEqual([false, false, false])
      const [events, runs] = [await stored(), await started()]
      const again = await Promise.all([append(), append()])
      expect(again.flat().map(({ isRepeated, ids }) => [isRepeated, ids])).toEqual(
        Array.from({ length: 6 }, () => [true, []]),
      )
      // Each names the first event of the request that has the key.
      expect(new Set(again.flat().map(({ repeatOf }) => repeatOf)).size).toBe(1)
      if (persists) expect(again[0]?.[0]?.repeatOf).toBe(events.at(-1)?.eventId)
      expect([await stored(), await started()]).toEqual([events, runs])
    })

    it('count for the keys of workflows one after another', async () => {
      const all = [withRuns([once('A')]), withRuns([once('B')]), withRuns([once('A')])]
      const [first, , third] = await opened.log.appendAll(all, true)
      expect([...(third?.duplicates ?? [])]).toEqual([0])
      expect(third?.ids).toEqual(first?.ids)
      expect((await stored())[0]?.duplicateOf).toBe(first?.ids[0])
      expect(await started()).toHaveLength(2)
    })

    it('are refused as a whole if one cannot be stored or their ids do not grow', async () => {
      const { log } = opened
      const wrong = withRuns([newRun({ queuedAt: 0.5 })])
      await expect(log.appendAll([withRuns([newRun()]), wrong, withRuns()], true)).rejects.toThrow()
      const late = withRuns()
      await expect(log.appendAll([withRuns([newRun()]), late, late], true)).rejects.toThrow()
      expect([await stored(), await started()]).toEqual([[], []])
      const next = withRuns([newRun()])
      await log.appendAll([next], true)
      expect((await stored()).map(({ eventId }) => eventId)).toEqual(idsOf([next]))
    })

    it('are refused as a whole if not all of their runs may wait', async () => {
      await opener.dispose()
      await openNew(2)
      const all = [withRuns([newRun()]), withRuns([newRun()]), withRuns([newRun()])]
      await expect(opened.log.appendAll(all, true)).rejects.toMatchObject({ code: 'unavailable' })
      expect([await stored(), await started()]).toEqual([[], []])
      const fewer = [withRuns([newRun()]), withRuns([newRun()])]
      await opened.log.appendAll(fewer, true)
      expect(await started()).toHaveLength(2)
    })
  })
}
