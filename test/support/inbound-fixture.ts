import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { type Activity, createActivity } from '#main/history/activity.ts'
import { createExchange } from '#main/history/exchange.ts'
import { createInbound, type Inbound } from '#main/inbound/inbound.ts'
import type { KeyFetcher } from '#main/inbound/key-store.ts'
import { type ListenerTimeouts, listenerTimeouts } from '#main/inbound/listener.ts'
import type { Accepted, Diagnosed, InboundOccurrence, Replayed } from '#main/inbound/occurrences.ts'
import { createProbes } from '#main/inbound/probes.ts'
import { type Bus, createBus } from '#main/lib/bus.ts'
import type { ReadThrottle } from '#main/lib/read-throttle.ts'
import { createSequence } from '#main/lib/sequence.ts'
import type { TlsFiles } from '#main/lib/tls-files.ts'
import type { ConnectionRecord } from '#main/storage/config.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type { EventLog, LoggedEvent } from '#main/storage/event-log.ts'
import { createActivityRelay } from '#main/storage/local/activity-relay.ts'
import { createLocalSignals } from '#main/storage/local/local-signals.ts'
import { newConfig, openConfigStore } from '#main/storage/local/lowdb-config-store.ts'
import { createOnceStore } from '#main/storage/local/once-store.ts'
import { createSealer } from '#main/storage/local/secrets.ts'
import {
  openSqliteEventLog,
  type SqliteEventLogOptions,
} from '#main/storage/local/sqlite/sqlite-event-log.ts'
import { payloadOf } from '#main/workflows/run-view.ts'
import type { Settings } from '#shared/model/settings.ts'
import type { TriggerPayload } from '#shared/model/trigger.ts'
import { recordNamed, startOfTests } from './connection-records.ts'
import { type Address, exchange, openRawClient, type RawAnswer, type RawClient } from './raw-http.ts'
import { type RequestOptions, type SenderAccount, signedRequest } from './sender.ts'

export type TestConnection = SenderAccount & { readonly connectionId: string }

export type InboundFixtureOptions = {
  /** Changes to the first connection; the second is left as it is, for events that must go on passing. */
  readonly connection?: Partial<ConnectionRecord>
  readonly settings?: Partial<Settings>
  readonly timeouts?: Partial<ListenerTimeouts>
  readonly tls?: TlsFiles
  /** Whether plain requests are served without node:http; as the environment variable FAST_PATH says unless set. */
  readonly fastPath?: boolean
  /** An event log of its own, new and empty; otherwise the test file's own is used again, cleared. */
  readonly ownLog?: boolean
  /** Maximum number of pages of 4 KiB that the event log may have; it is one of its own then. */
  readonly maxPages?: number
  /** Milliseconds of the clock that requests are timed with. */
  readonly stopwatch?: () => number
  /** Decides when senders that strain the listener are read again. */
  readonly throttle?: ReadThrottle
  /** Fetches public keys of senders; by default none are fetched. */
  readonly keyFetcher?: KeyFetcher
  /** Wraps the event log, for faults. */
  readonly wrapLog?: (log: EventLog) => EventLog
}

/** An event that took effect, with the payload that a workflow gets. */
type Trigger = Pick<
  LoggedEvent,
  'eventId' | 'connectionId' | 'eventName' | 'receivedAt' | 'repeat' | 'replayOf'
> & {
  readonly payload: TriggerPayload
}

function triggerOf(occurrence: Accepted | Replayed): Trigger {
  const { id: eventId, connectionId, eventName, at: receivedAt, bodyText } = occurrence
  const payload = payloadOf(bodyText, connectionId)
  if (payload === null) throw new Error('The body of an accepted event cannot be read.')
  const repeat = occurrence.kind === 'event.accepted' && occurrence.repeat
  const replayOf = occurrence.kind === 'event.replayed' ? occurrence.replayOf : null
  return { eventId, connectionId, eventName, receivedAt, repeat, replayOf, payload }
}

export type InboundFixture = Address & {
  readonly inbound: Inbound
  /** The feed, of the inbound channel alone. */
  readonly activity: Activity
  readonly store: ConfigStore
  readonly log: EventLog
  readonly eventLogFile: string
  /** Most tests are about the first; the other shows that the service still serves. Both store events. */
  readonly connection: TestConnection
  readonly other: TestConnection
  /** Set `now` to move the clock of the service. */
  readonly clock: { now: number }
  /** The events that took effect, replays included. */
  readonly triggers: Trigger[]
  /** The recorded occurrences without diagnoses. */
  readonly outcomes: InboundOccurrence[]
  readonly diagnosed: Diagnosed[]
  /** Everything that is recorded. */
  readonly occurrences: Bus<InboundOccurrence>
  /** The errors that subscribers threw. */
  readonly errors: unknown[]
  change(changes: Partial<ConnectionRecord>): Promise<void>
  remove(connectionId: string): Promise<void>
  /** Posts an event of the first connection, or of another, over a connection of its own. */
  post(options?: RequestOptions, account?: SenderAccount): Promise<RawAnswer>
  open(): Promise<RawClient>
  /** The events stored of a connection, newest first. */
  stored(connectionId: string): Promise<LoggedEvent[]>
  stop(): Promise<void>
  close(): Promise<void>
}

/** An inbound channel for this test alone, closed when it has finished. */
export async function startInbound(options: InboundFixtureOptions = {}): Promise<InboundFixture> {
  const fixture = await openInbound(options)
  onTestFinished(() => fixture.close())
  return fixture
}

/** For several tests; the caller closes it. */
export async function openInbound(options: InboundFixtureOptions = {}): Promise<InboundFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'cc-inbound-'))
  const clock = { now: startOfTests }
  const now = () => clock.now
  const errors: unknown[] = []
  const onError = (error: unknown) => void errors.push(error)
  const first = { ...recordNamed('first'), ...options.connection }
  const second = recordNamed('second')
  const initial = newConfig(startOfTests)
  const store = await openConfigStore({
    file: join(folder, 'config.json'),
    sealer: createSealer(createHash('sha256').update('key').digest()),
    clock: now,
    onError,
    initial: {
      ...initial,
      settings: { ...initial.settings, ...options.settings },
      connections: new Map([first, second].map(record => [record.connectionId, record])),
    },
    // It writes its file when it closes: a timer would be among those that tests count.
    after: () => () => {},
  })
  const isOwn = options.ownLog === true || options.maxPages !== undefined
  const limit = options.maxPages === undefined ? {} : { maxPages: options.maxPages }
  const opened = isOwn ? await openLog(folder, { lockTimeoutMs: 200, ...limit }) : await theLog()
  const { log: sqlite, file: eventLogFile, errors: logErrors } = opened
  const log = options.wrapLog?.(sqlite) ?? sqlite
  const timeouts = { ...listenerTimeouts, stopGrace: 2000, ...options.timeouts }
  const { tls = null, fastPath = process.env.FAST_PATH !== 'off' } = options
  const listener = { host: '127.0.0.1', port: 0, tls, timeouts, fastPath }
  const occurrences = createBus<InboundOccurrence>(onError)
  const nextNumber = createSequence(now)
  const nextEvent = createSequence(now, newestEvent)
  const inbound = createInbound({
    store,
    log,
    listener,
    ...(options.keyFetcher !== undefined && { keyFetcher: options.keyFetcher }),
    clock: now,
    ids: { event: () => (newestEvent = nextEvent()), number: nextNumber },
    probes: createProbes(createOnceStore(now), createLocalSignals(onError), onError),
    record: occurrences.publish,
    baseUrlOf: () => 'https://in.example',
    onError,
    ...(options.throttle !== undefined && { throttle: options.throttle }),
    ...(options.stopwatch !== undefined && { stopwatch: options.stopwatch }),
  })
  const activity = createActivity(
    inbound.declares,
    nextNumber,
    now,
    createExchange(createActivityRelay(onError), 'this'),
  )
  occurrences.subscribe(activity.add)
  const triggers: Trigger[] = []
  const outcomes: InboundOccurrence[] = []
  const diagnosed: Diagnosed[] = []
  occurrences.subscribe(occurrence => {
    if (occurrence.kind === 'event.diagnosed') diagnosed.push(occurrence)
    else outcomes.push(occurrence)
    if (occurrence.kind === 'event.accepted' || occurrence.kind === 'event.replayed')
      triggers.push(triggerOf(occurrence))
  })
  const { address: host, port } = (await inbound.listener.start(listener)).address
  let stopped: Promise<void> | null = null
  const clients: RawClient[] = []

  const connection = accountOf(first)
  const fixture: InboundFixture = {
    host,
    port,
    inbound,
    activity,
    store,
    log,
    eventLogFile,
    connection,
    other: accountOf(second),
    clock,
    triggers,
    outcomes,
    diagnosed,
    occurrences,
    errors,
    change: changes =>
      store.update(config => {
        const record = config.connections.get(connection.connectionId)
        if (record === undefined) throw new Error('The first connection was removed.')
        const connections = new Map(config.connections).set(record.connectionId, { ...record, ...changes })
        return { next: { ...config, connections }, result: undefined }
      }),
    remove: connectionId =>
      store.update(config => {
        const connections = new Map(config.connections)
        connections.delete(connectionId)
        return { next: { ...config, connections }, result: undefined }
      }),
    async post(request = {}, account = connection) {
      const [answer] = await exchange({ host, port }, [signedRequest(account, clock.now, request).bytes])
      if (answer === undefined) throw new Error('There was no answer.')
      return answer
    },
    async open() {
      const client = await openRawClient({ host, port })
      clients.push(client)
      return client
    },
    async stored(connectionId) {
      return (await log.list(connectionId, { limit: 200 })).events
    },
    stop() {
      stopped ??= inbound.stop()
      return stopped
    },
    async close() {
      for (const client of clients) client.destroy()
      // A connection that waits for its turn to be read is not known to have closed.
      timeouts.stopGrace = 0
      await fixture.stop()
      if (isOwn) await sqlite.close()
      else for (const { connectionId } of [first, second]) await sqlite.clear(connectionId)
      await store.close()
      await rm(folder, { recursive: true, force: true })
      if (!isOwn) expect(logErrors.splice(0), 'of the event log').toEqual([])
    },
  }
  return fixture
}

type LogOptions = Pick<SqliteEventLogOptions, 'lockTimeoutMs' | 'maxPages'>
type OpenLog = { readonly log: EventLog; readonly file: string; readonly errors: Error[] }

async function openLog(folder: string, options: LogOptions = {}): Promise<OpenLog> {
  const file = join(folder, 'events.sqlite')
  const errors: Error[] = []
  const log = await openSqliteEventLog({
    file,
    clock: () => startOfTests,
    onError: error => errors.push(error),
    ...options,
  })
  return { log, file, errors }
}

/** Starting the threads of an event log takes longer than most tests: those of a worker share one, until it ends. */
let shared: Promise<OpenLog> | null = null

/** The number of the newest event in it: event ids grow, while each fixture has a clock of its own. */
let newestEvent = 0

function theLog(): Promise<OpenLog> {
  shared ??= (async () => {
    return openLog(await mkdtemp(join(tmpdir(), 'cc-inbound-log-')))
  })()
  return shared
}

function accountOf({ connectionId, inboundToken, signingSecret }: ConnectionRecord): TestConnection {
  return { connectionId, token: inboundToken, secret: signingSecret }
}
