import { connectionsWithin } from '#main/lib/descriptor-limit.ts'
import type { ReadThrottle } from '#main/lib/read-throttle.ts'
import { eventIdOf, idOf } from '#main/lib/sequence.ts'
import { diagnose } from '#main/signing/diagnose.ts'
import { type ConnectionRecord, isKept } from '#main/storage/config.ts'
import { goneConnectionIds } from '#main/storage/config-diff.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type { EventLog } from '#main/storage/event-log.ts'
import type { Ids } from '#main/storage/ids.ts'
import type { Storage } from '#main/storage/storage.ts'
import type { Settings } from '#shared/model/settings.ts'
import { createActivate } from './activate.ts'
import { createAttempts } from './attempts.ts'
import type { Diagnoser } from './diagnoser.ts'
import { createDirectory } from './directory.ts'
import { createEndpoint } from './endpoint.ts'
import { createKeyStore, type KeyFetcher } from './key-store.ts'
import { createListener, type ListenerOptions } from './listener.ts'
import { createMovableListener } from './listening.ts'
import type { RecordInbound } from './occurrences.ts'
import { createOpenConnections } from './open-connections.ts'
import type { Probes } from './probes.ts'
import { createBodyMemory } from './read-body.ts'
import { createReceiver, type EventWorkflows } from './receive.ts'
import { createRefusals } from './refusals.ts'
import { createRepeats } from './repeats.ts'

export type Inbound = ReturnType<typeof createInbound>

/** Assembles the inbound channel: listener → endpoint → receiver → log, record. */
export function createInbound(parts: {
  store: ConfigStore
  log: EventLog
  /** Whether other processes append to the log too; by default not. */
  isShared?: boolean
  /** By default, no event starts a run. */
  workflows?: EventWorkflows
  listener: ListenerOptions
  /** Milliseconds since 1970. */
  clock: () => number
  /** Milliseconds of a monotonic clock. */
  stopwatch?: () => number
  /** Whether this process may act on its configuration; always, by default. */
  isCurrent?: () => boolean
  /** See the storage. */
  confirmCurrent?: Storage['confirmCurrent']
  decidesBy?: Storage['decidesBy']
  ids: Ids
  probes: Probes
  /** Returns the base of a connection's inbound URL; by default an empty text. */
  baseUrlOf?: (record: ConnectionRecord) => string
  /** Called when a request finds a replaced secret expired for the first time. */
  onGraceOver?: () => void
  /** Fetches public keys of senders; by default none are fetched. */
  keyFetcher?: KeyFetcher
  /** Called if an address has no public keys. */
  onKeyProblem?: (error: unknown, message: string) => void
  /** By default, diagnoses run in this thread. */
  diagnoser?: Diagnoser
  /** File descriptors that this process may open; null, the default, if unknown. */
  maxDescriptors?: number | null
  /** Decides when throttled senders are read again; for tests. */
  throttle?: ReadThrottle
  record: RecordInbound
  onError: (error: unknown) => void
}) {
  const { store, log, listener, clock, ids, probes, throttle, record, onError } = parts
  const {
    isShared = false,
    workflows = noWorkflows,
    stopwatch = () => performance.now(),
    isCurrent = () => true,
    confirmCurrent = null,
    decidesBy = () => 0,
    diagnoser = inThisThread,
    maxDescriptors = null,
    baseUrlOf = () => '',
    onGraceOver = () => {},
    onKeyProblem = () => {},
  } = parts
  const { keyFetcher } = parts
  const keys = keyFetcher && createKeyStore({ fetch: keyFetcher.fetch, clock, onProblem: onKeyProblem })
  const directory = createDirectory({ store, baseUrlOf, fetchedKeys: keys?.known, clock, onGraceOver })
  /** Refused requests since the start. */
  const attempts = createAttempts()
  const nextId = (prefix: string) => idOf(prefix, ids.number())
  const repeats = createRepeats()
  const nextEventId = () => eventIdOf(ids.event())
  const receiver = createReceiver({
    log,
    isShared,
    confirmCurrent,
    decidesBy,
    isPresent: one => store.snapshot().connections.get(one.connectionId) === one,
    workflows,
    record,
    repeats,
    nextEventId,
    nextId,
    clock,
    stopwatch,
  })

  const stopForgetting = store.onChange((next, _previous, diff) => {
    for (const connectionId of goneConnectionIds(next, diff)) {
      attempts.forget(connectionId)
      repeats.forget(connectionId)
    }
  })
  const refusals = createRefusals({
    attempts,
    directory,
    record,
    diagnose: diagnoser.diagnose,
    exists: connectionId => isKept(store.snapshot(), connectionId),
    nextId,
    clock,
    stopwatch,
  })
  const connectionCap = () => store.snapshot().settings.maxConnections
  const connections = createOpenConnections(
    () => connectionsWithin(maxDescriptors, connectionCap()),
    () => connectionsWithin(maxDescriptors, 2 * connectionCap()),
    clock,
    throttle,
  )
  const activate = createActivate({ store, fetch: keyFetcher?.fetch, clock })
  const memory = createBodyMemory(() => bodyMemoryLimit(store.snapshot().settings))
  const endpointAt = (isStopping: () => boolean) =>
    createEndpoint({
      directory,
      receiver,
      refusals,
      probes,
      connections,
      keys,
      activate,
      record,
      nextId,
      memory,
      maxBodyBytes: () => store.snapshot().settings.maxBodyBytes,
      clock,
      stopwatch,
      isCurrent,
      isStopping,
      lingerMs: listener.timeouts.linger,
    })
  const movable = createMovableListener(
    address => createListener({ ...listener, ...address }, connections, endpointAt),
    clock,
    onError,
  )

  return {
    receiver,
    directory,
    attempts,
    probes,
    keys,
    listener: movable,
    /** Returns how many TCP connections are open, and the bytes of the bodies in progress. */
    load: () => ({ connections: connections.size, bodyBytes: memory.used }),
    /** Returns whether a connection declares an event type with this name. */
    declares: ({ connectionId, eventName }: { readonly connectionId: string; readonly eventName: string }) =>
      directory.byId(connectionId)?.declared.has(eventName) ?? false,
    /** Makes the missing diagnosis of an attempt somebody has opened. */
    diagnoseNow: refusals.diagnoseNow,
    /** Makes the missing diagnoses of a connection. */
    diagnoseRest: refusals.diagnoseRest,
    /** Makes one missing diagnosis if there is time for it. */
    diagnoseLate: refusals.diagnoseLate,
    async stop() {
      // First, because requests wait for keys.
      keyFetcher?.close()
      await movable.stop()
      probes.stop()
      await diagnoser.stop()
      stopForgetting()
      directory.stop()
    },
  }
}

const nothingStarted = { ids: [], duplicates: new Set<number>(), isRepeated: false }
const noWorkflows: EventWorkflows = {
  ...{ runsFor: () => [], start: async () => nothingStarted },
  ...{ redeliver: async () => 0, stored: () => {} },
}

const inThisThread: Diagnoser = {
  diagnose: async ({ rawBody, ...clues }) => diagnose({ ...clues, rawBody: Buffer.from(rawBody) }),
  stop: async () => {},
}

/** Returns the setting, but at least enough to receive and store one body of the largest size. */
function bodyMemoryLimit({ maxBodyMemoryBytes, maxBodyBytes }: Settings): number {
  return Math.max(maxBodyMemoryBytes, 2 * maxBodyBytes)
}
