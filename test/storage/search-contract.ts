import { array, assert, asyncProperty, boolean, constantFrom, nat, option, record } from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EventLog, LoggedEvent } from '#main/storage/event-log.ts'
import type { RunStore } from '#main/storage/runs.ts'
import type { Searched } from '#main/storage/searched.ts'
import { bodyOf, eventMaker } from './event-log-events.ts'

export type OpenedForSearch = {
  readonly log: Pick<EventLog, 'append' | 'list' | 'summaries'>
  readonly runs: Pick<RunStore, 'list'>
  /** Closes both and deletes their data. */
  dispose(): Promise<void>
}
/** @param mostSearched rows that one page of a search may check. */
export type OpenForSearch = (options: { mostSearched: number }) => Promise<OpenedForSearch>

const rows = 40
const connections = ['conn_a', 'conn_b', 'conn_c']
const names = ['order.paid', 'order.shipped', 'parcel.lost']
const notes = ['Left at the DOOR', 'Zebra crossing', 'Caf\\u00e9', 'nothing']
const texts = ['door', 'zebra', 'café', 'qz', 'o', 'absent text', '"note"']

/** Tests that searches of every EventLog and RunStore must pass: all is found once, on pages that are bounded. */
export function describeSearch(name: string, open: OpenForSearch): void {
  describe(name, () => {
    let opened: OpenedForSearch
    const events: LoggedEvent[] = []
    const runIds = new Map<string, string>()
    beforeAll(async () => {
      opened = await open({ mostSearched: rows })
      const make = eventMaker()
      for (let index = 0; index < 500; index++) {
        const connectionId = connections[index % 7 === 0 ? 1 : index % 50 === 3 ? 2 : 0] ?? ''
        const eventName = names[(index * 5) % 3] ?? ''
        const note = index % 30 === 0 ? notes[(index / 30) % 4] : 'paid'
        const bodyText = bodyOf({ index }).replace('{"index"', `{"note":"${note}","index"`)
        const replayOf = index % 60 === 7 ? (events[0]?.eventId ?? null) : null
        const event = make({ connectionId, eventName, bodyText, replayOf })
        events.unshift(event)
        const facts = { workspaceId: index % 4 < 2 ? 'ws_a' : 'ws_b', workflowId: `wf_${index % 4}` }
        const summary = JSON.stringify({ eventName })
        const run = { ...facts, lane: 'lane', connectionId, queuedAt: 0, summary, data: bodyText }
        const started = await opened.log.append(event, [run])
        runIds.set(event.eventId, started?.ids[0] ?? '')
      }
    })
    afterAll(() => opened.dispose())

    const searchOf = record({
      text: option(constantFrom(...texts), { nil: undefined }),
      eventName: option(constantFrom(...names, 'absent.name'), { nil: undefined }),
      limit: nat(19).map(limit => limit + 1),
    })
    type Search = { readonly text?: string | undefined; readonly eventName?: string | undefined }
    const has = ({ bodyText, eventName }: LoggedEvent, { text = '', eventName: name = eventName }: Search) =>
      name === eventName &&
      [bodyText, bodyText.replaceAll('\\u00e9', 'é')].some(body => body.toLowerCase().includes(text))
    const idsOf = (found: readonly LoggedEvent[]) => found.map(({ eventId }) => eventId)

    /** Expects that a page is full, or the last one, or says how far it has looked. */
    function expectBound(found: number, limit: number, isLast: boolean, searched: Searched | null = null) {
      if (isLast || found === limit) expect(searched).toBeNull()
      else expect(searched?.count).toBeLessThanOrEqual(rows)
    }

    it('finds each event of a connection once, on pages that are bounded', async () => {
      await assert(
        asyncProperty(searchOf, constantFrom(...connections), async (search, connectionId) => {
          const found: string[] = []
          for (let before: string | undefined; ; ) {
            const page = await opened.log.list(connectionId, { ...search, before })
            found.push(...idsOf(page.events))
            expectBound(page.events.length, search.limit, page.nextBefore === null, page.searched)
            if (page.nextBefore === null) break
            before = page.nextBefore
          }
          expect(found).toEqual(
            idsOf(events.filter(event => event.connectionId === connectionId && has(event, search))),
          )
        }),
      )
    })

    it('finds each event of several connections once, on pages that are bounded', async () => {
      const some = option(array(constantFrom(...connections), { minLength: 1, maxLength: 3 }), { nil: null })
      const orReplays = option(boolean(), { nil: undefined })
      await assert(
        asyncProperty(searchOf, some, orReplays, async (search, connectionIds, replays) => {
          const found: string[] = []
          for (let below = Number.MAX_SAFE_INTEGER; below > 0; ) {
            const page = await opened.log.summaries({ ...search, replays, connectionIds, above: -1, below })
            found.push(...page.events.map(({ eventId }) => eventId))
            expectBound(page.events.length, search.limit, page.checkedAbove < 0, page.searched)
            below = page.checkedAbove + 1
          }
          const isOfThese = ({ connectionId, replayOf }: LoggedEvent) =>
            connectionIds?.includes(connectionId) !== false &&
            (replays ?? replayOf !== null) === (replayOf !== null)
          expect(found).toEqual(idsOf(events.filter(event => isOfThese(event) && has(event, search))))
        }),
      )
    })

    it('finds each run once, on pages that are bounded', async () => {
      const filter = record({
        workspaceId: option(constantFrom('ws_a', 'ws_b'), { nil: undefined }),
        workflowIds: option(constantFrom<string[]>(['wf_1'], ['wf_2', 'wf_3']), { nil: undefined }),
      })
      await assert(
        asyncProperty(searchOf, filter, async (search, { workspaceId, workflowIds }) => {
          const found: (string | null)[] = []
          for (let before: string | undefined; ; ) {
            const page = await opened.runs.list({ ...search, workspaceId, workflowIds, before })
            found.push(...page.runs.map(({ eventId }) => eventId))
            expectBound(page.runs.length, search.limit, page.nextBefore === null, page.searched)
            if (page.nextBefore === null) break
            before = page.nextBefore
          }
          const wanted = events.filter((event, at) => {
            const index = events.length - 1 - at
            const isOfWorkflow = workflowIds?.includes(`wf_${index % 4}`) !== false
            const isOfWorkspace =
              (workspaceId ?? (index % 4 < 2 ? 'ws_a' : 'ws_b')) === (index % 4 < 2 ? 'ws_a' : 'ws_b')
            const runId = runIds.get(event.eventId)
            const hasId = search.text !== undefined && runId?.includes(search.text) === true
            const isFound = has(event, search) || (hasId && has(event, { ...search, text: undefined }))
            return isOfWorkflow && isOfWorkspace && isFound
          })
          expect(found).toEqual(idsOf(wanted))
        }),
      )
    })
  })
}
