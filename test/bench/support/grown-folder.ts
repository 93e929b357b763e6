import { randomBytes } from 'node:crypto'
import { newActionRecord } from '#main/connections/actions.ts'
import { createConnection } from '#main/connections/connections.ts'
import { newEventTypeRecord } from '#main/connections/event-types.ts'
import { storageBounds } from '#main/history/kinds.ts'
import { hourOf } from '#main/history/statistics/hour-table.ts'
import type { Logger } from '#main/lib/logger.ts'
import { eventIdOf, sequenceOfTime } from '#main/lib/sequence.ts'
import type { Config } from '#main/storage/config.ts'
import type { LoggedEvent } from '#main/storage/event-log.ts'
import type { HourCountStore } from '#main/storage/hour-count-store.ts'
import { emptyHour, storedHour } from '#main/storage/hour-counts.ts'
import type { OccurrenceStorage, StoredOccurrence } from '#main/storage/occurrence-storage.ts'
import { openStorage } from '#main/storage/open-storage.ts'
import type { NewRun } from '#main/storage/runs.ts'
import { lanesOf } from '#main/workflows/lanes.ts'
import { createWorkflow } from '#main/workflows/workflows.ts'
import { NewWorkflow } from '#shared/model/workflow.ts'
import { databaseEnv } from './nodes.ts'

/** How much a data folder holds. The events and runs are those of the first connection and of the workflows. */
export type FolderSize = {
  readonly connections: number
  /** The events are of all connections, over the last day; each has so many calls and refused requests too. */
  readonly spread?: { readonly calls: number; readonly attempts: number }
  readonly events?: number
  readonly runs?: number
  readonly workflows?: number
  /** Each connection has counts of so many hours. */
  readonly hours?: number
}

/** Appended at a time. */
const batch = 5000

const eventNames = ['created', 'paid', 'shipped', 'returned', 'refunded', 'lost'].map(word => `order.${word}`)
const notes = ['The parcel was handed over', 'Left at the door', 'Paid by card', 'Waiting for the carrier']

/** Fills a new data folder, with 5 actions and 3 event types in each connection. */
export async function growFolder(dataFolder: string, size: FolderSize, database?: string): Promise<void> {
  const { events = 0, runs = 0, spread } = size
  const { storage } = await openStorage({
    ...{
      dataFolder,
      database,
      env: database === undefined ? {} : databaseEnv,
      logger,
      clock: Date.now,
      random: randomBytes,
      historyBounds: storageBounds,
      lanesOf,
    },
    onFolderLost: () => process.exit(1),
  })
  try {
    const filled = await storage.config.update(config => {
      const next = filledConfig(config, size, new Date().toISOString())
      return { next, result: next }
    })
    const connectionIds = [...filled.connections.keys()]
    const [connectionId = ''] = connectionIds
    const workflowIds = [...filled.workflows.keys()]
    for (const id of connectionIds) storage.events.setRetention(id, retentionOf(size))
    // One a millisecond, the newest a minute ago.
    const apartMs = spread === undefined ? 1 : Math.floor((20 * 3_600_000) / events)
    const first = Date.now() - events * apartMs - 60_000
    await inBatches(events, n => {
      const of = spread === undefined ? connectionId : (connectionIds[n % connectionIds.length] ?? '')
      return storage.events.append(eventOf(n, first + n * apartMs, of))
    })
    if (spread !== undefined) await addRecords(storage.history, connectionIds, spread, first)
    await addHours(storage.hourCounts, connectionIds, size.hours ?? 0)
    await inBatches(runs, n => {
      const workflowId = workflowIds[n % workflowIds.length] ?? ''
      return storage.runs.start([runOf(n, workflowId, connectionId)], null)
    })
  } finally {
    await storage.close()
  }
}

/** Writes calls, of which one in seven failed, and refused requests with 3 codes, over the last day. */
async function addRecords(
  history: OccurrenceStorage,
  connectionIds: readonly string[],
  { calls, attempts }: NonNullable<FolderSize['spread']>,
  first: number,
): Promise<void> {
  const span = Date.now() - 60_000 - first
  for (const [place, connectionId] of connectionIds.entries()) {
    const record = (kind: string, n: number, of: number, summary: object): StoredOccurrence => {
      const at = first + Math.floor((span * n) / of)
      const number = sequenceOfTime(at) + 1 + place * 2 + (kind === 'call' ? 1 : 0)
      const details = JSON.stringify({ bodyText: notes[n % notes.length], response: { body: scattered(n) } })
      const where = { kind, connectionId, subject: '', at, finding: null }
      return { number, ...where, summary: JSON.stringify(summary), details }
    }
    const made = [
      ...Array.from({ length: calls }, (_, n) => record('call', n, calls, callOf(n))),
      ...Array.from({ length: attempts }, (_, n) => record('attempt', n, attempts, attemptOf(n))),
    ]
    await history.write({ occurrences: made, findings: [], now: Date.now() })
  }
}

/** Counts the hours up to the present one, in which each connection started two workflows and called tools. */
async function addHours(counts: HourCountStore, connectionIds: readonly string[], hours: number) {
  const doc = storedHour({
    ...{ ...emptyHour(), accepted: 30, calls: { '2xx': 30, '5xx': 2 }, answerMs: [0, 30], callMs: [0, 32] },
    started: {
      'wf_0123456789 order.created': [10, 2],
      'wf_9876543210 order.paid': [10, 0],
      ' order.lost': [10, 0],
    },
    called: { 'wf_0123456789 find_order': [28, 2], 'client find_order': [4, 0] },
  })
  const end = hourOf(Date.now())
  for (let hour = end - hours; hour < end; hour++) {
    await counts.save(
      'a',
      ['', ...connectionIds].map(of => ({ of, hour, doc })),
    )
    while (await counts.merge(hour));
  }
}

const callOf = (n: number) => ({
  ...{ toolName: 'find_order', method: 'GET', status: n % 7 === 0 ? 500 : 200, ok: n % 7 !== 0, code: null },
  ...{ totalMs: 12, source: 'workflow', step: null, client: null, conversationId: null },
})
const attemptOf = (n: number) => ({
  ...{
    code: ['invalid_signature', 'stale_timestamp', 'invalid_body'][n % 3],
    detail: null,
    bytes: 200,
    tookMs: 1,
  },
})

async function inBatches(count: number, append: (n: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < count; from += batch)
    await Promise.all(Array.from({ length: Math.min(batch, count - from) }, (_, n) => append(from + n)))
}

const retentionOf = ({ events = 0 }: FolderSize) => ({ maxEvents: Math.max(10_000, 2 * events), maxDays: 30 })

function filledConfig(config: Config, size: FolderSize, now: string): Config {
  const connections = new Map(config.connections)
  for (let n = 0; n < size.connections; n++) {
    const input = {
      name: `Connection number ${n}`,
      baseUrl: 'http://127.0.0.1:9',
      retention: retentionOf(size),
    }
    const { result } = createConnection(config, { ...input, persistEvents: true }, now, randomBytes)
    connections.set(result.connectionId, {
      ...result,
      actions: actionsOf(n, now),
      eventTypes: eventTypesOf(n, now),
    })
  }
  const workflows = new Map(config.workflows)
  for (let n = 0; n < (size.workflows ?? 0); n++) {
    const input = NewWorkflow.parse({ name: `Workflow ${n}`, trigger, steps })
    const { result } = createWorkflow(config, input, now, randomBytes)
    workflows.set(result.workflowId, result)
  }
  return { ...config, connections, workflows }
}

const trigger = { type: 'external.event', connectionId: null, eventName: 'invoice.*' }
const steps = [{ key: 'stop', type: 'stop', outcome: 'succeeded' }]

function actionsOf(n: number, now: string) {
  const parameters = ['order_id', 'buyer', 'limit'].map(name => ({
    ...{ name, description: `The ${name} to look for.`, required: name === 'order_id' },
    type: name === 'limit' ? ('number' as const) : ('string' as const),
  }))
  return Array.from({ length: 5 }, (_, kind) =>
    newActionRecord(
      {
        name: `Find order of kind ${n} ${kind}`,
        description: `Finds the orders of kind ${kind}. Use it when somebody asks where an order is.`,
        method: kind % 2 === 0 ? 'GET' : 'POST',
        path: `/orders/kind-${kind}?expand=lines`,
        headers: { 'X-Kind': String(kind) },
        parameters,
        responseMapping: { status: 'order.status' },
        isEnabled: true,
      },
      now,
      randomBytes,
    ),
  )
}

const eventTypesOf = (n: number, now: string) =>
  eventNames.slice(0, 3).map(eventName =>
    newEventTypeRecord(
      {
        ...{ eventName, label: `Event ${eventName}` },
        samplePayload: { id: n, customer: { name: 'Ada' }, lines: [{ sku: 'a', count: 2 }] },
      },
      now,
      randomBytes,
    ),
  )

function eventOf(n: number, receivedAt: number, connectionId: string): LoggedEvent {
  const eventId = eventIdOf(sequenceOfTime(receivedAt))
  const eventName = eventNames[n % eventNames.length] ?? ''
  const data = {
    orderId: 1_000_000 + (scattered(n) % 9_000_000),
    customer: `cus_${scattered(n + 1).toString(16)}`,
    amount: (scattered(n + 2) % 100_000) / 100,
    note: notes[n % notes.length],
    at: new Date(receivedAt).toISOString(),
  }
  return {
    ...{ eventId, connectionId, eventName, receivedAt },
    bodyText: JSON.stringify({ event: eventName, data }),
    headerLines: 'Content-Type: application/json\nHost: 127.0.0.1:8787\nx-service-timestamp: 1767225600000',
    ...{ repeat: false, replayOf: null },
  }
}

function runOf(n: number, workflowId: string, connectionId: string): NewRun {
  const endedAt = Date.now()
  return {
    ...{ workflowId, workspaceId: 'default', connectionId, lane: workflowId, queuedAt: endedAt - 1000 },
    summary: '{"eventName":"order.created"}',
    data: `{"event":"order.created","data":{"order_id":"ORD-${n}","total":129.9}}`,
    ended: {
      ...{ state: n % 50 === 0 ? ('failed' as const) : ('succeeded' as const) },
      ...{ endedAt, error: null, discard: false, steps: [] },
    },
  }
}

/** Returns 32 bits that look random and are the same every time. */
function scattered(n: number): number {
  const mixed = Math.imul(n ^ (n >>> 15), 0x85ebca6b)
  return (mixed ^ (mixed >>> 13)) >>> 0
}

const logger: Logger = {
  isLevelEnabled: () => false,
  debug() {},
  info() {},
  warn: (fields, message) => console.warn(message, fields),
  error: (fields, message) => console.error(message, fields),
}
