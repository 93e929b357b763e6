import { type Bus, createBus } from '#main/lib/bus.ts'
import { connectionsWithin } from '#main/lib/descriptor-limit.ts'
import type { ReadThrottle } from '#main/lib/read-throttle.ts'
import { createSequence, eventIdOf, sequenceOfEventId, sequenceText } from '#main/lib/sequence.ts'
import { diagnose } from '#main/signing/diagnose.ts'
import { goneConnectionIds } from '#main/storage/config.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type { EventLog } from '#main/storage/event-log.ts'
import type { Attempt } from '#shared/model/attempt.ts'
import type { Settings } from '#shared/model/settings.ts'
import type { Trigger } from '#shared/model/trigger.ts'
import { createAttempts, type KeptAttempt } from './attempts.ts'
import { createBodyMemory } from './body-memory.ts'
import type { Diagnoser } from './diagnoser.ts'
import { createDirectory, type Directory } from './directory.ts'
import { createEndpoint } from './endpoint.ts'
import { createListener, type ListenerOptions } from './listener.ts'
import { createMovableListener, type MovableListener } from './listening.ts'
import { createOpenConnections } from './open-connections.ts'
import type { InboundOutcome, SeenEvent } from './outcomes.ts'
import { createProbes, type Probes } from './probes.ts'
import { createReceiver, type Receiver } from './receive.ts'
import { createRefusals } from './refusals.ts'
import { createRepeats } from './repeats.ts'

export type Inbound = {
  readonly receiver: Receiver
  readonly directory: Directory
  readonly triggers: Bus<Trigger>
  readonly outcomes: Bus<InboundOutcome>
  /** Announces a refusal whose diagnosis was made after its outcome was published. */
  readonly diagnosed: Bus<KeptAttempt>
  readonly probes: Probes
  readonly listener: MovableListener
  /** Whether an event's connection declares an event type of its name now. */
  declares(event: Pick<SeenEvent, 'connectionId' | 'eventName'>): boolean
  /** Makes up for diagnoses of a connection that there was no time for, because somebody is about to look. */
  diagnoseRest(connectionId: string): Promise<void>
  /** Refused requests, newest first; null lists those with an unknown token. */
  attemptsOf(connectionId: string | null): Attempt[]
  /** Makes up for a diagnosis that there was no time for when the request came, if there is now. */
  diagnoseLate(attempt: KeptAttempt): void
  stop(): Promise<void>
}

export type InboundParts = {
  store: ConfigStore
  log: EventLog
  listener: ListenerOptions
  /** Milliseconds since 1970. */
  clock: () => number
  /** Milliseconds of a clock that is never set. */
  stopwatch?: () => number
  /** Gives the id of the next attempt; grows, also over a restart. */
  nextAttemptId?: () => string
  /** By default diagnoses are made in this thread. */
  diagnoser?: Diagnoser
  /** Descriptors that this process may open; null, the default, where that is not known. */
  maxDescriptors?: number | null
  /** Decides when senders that strain the listener are read again; for tests. */
  throttle?: ReadThrottle
  /** Told of errors of whoever listens to triggers or outcomes. */
  onError: (error: unknown) => void
}

/** Puts the inbound channel together: listener → endpoint → receiver → log, triggers, outcomes. */
export async function createInbound({
  store,
  log,
  listener,
  clock,
  stopwatch = () => performance.now(),
  nextAttemptId = attemptIds(clock),
  diagnoser = inThisThread,
  maxDescriptors = null,
  throttle,
  onError,
}: InboundParts): Promise<Inbound> {
  const triggers = createBus<Trigger>(onError)
  const outcomes = createBus<InboundOutcome>(onError)
  const directory = createDirectory(store)
  const diagnosed = createBus<KeptAttempt>(onError)
  const attempts = createAttempts(nextAttemptId)
  const newest = await log.newestEventId()
  const nextEvent = createSequence(clock, newest === null ? 0 : (sequenceOfEventId(newest) ?? 0))
  const repeats = createRepeats()
  const receiver = createReceiver({
    log,
    triggers,
    outcomes,
    repeats,
    nextEventId: () => eventIdOf(nextEvent()),
    clock,
    stopwatch,
  })

  const stopForgetting = store.onChange((next, previous) => {
    for (const connectionId of goneConnectionIds(next, previous)) {
      attempts.forget(connectionId)
      repeats.forget(connectionId)
    }
  })
  const refusals = createRefusals({
    attempts,
    directory,
    outcomes,
    diagnose: diagnoser.diagnose,
    onDiagnosed: diagnosed.publish,
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
  const probes = createProbes()
  const memory = createBodyMemory(() => bodyMemoryLimit(store.snapshot().settings))
  const endpointAt = (isStopping: () => boolean) =>
    createEndpoint({
      directory,
      receiver,
      refusals,
      probes,
      connections,
      outcomes,
      memory,
      maxBodyBytes: () => store.snapshot().settings.maxBodyBytes,
      clock,
      stopwatch,
      isStopping,
    })
  const movable = createMovableListener(
    address => createListener({ ...listener, ...address }, connections, endpointAt),
    clock,
    onError,
  )

  return {
    receiver,
    directory,
    triggers,
    outcomes,
    diagnosed,
    probes,
    listener: movable,
    declares: ({ connectionId, eventName }) => directory.byId(connectionId)?.declared.has(eventName) ?? false,
    diagnoseRest: refusals.diagnoseRest,
    attemptsOf: attempts.list,
    diagnoseLate: refusals.diagnoseLate,
    async stop() {
      await movable.stop()
      await diagnoser.stop()
      stopForgetting()
      directory.stop()
    },
  }
}

const inThisThread: Diagnoser = {
  diagnose: async ({ rawBody, ...clues }) => diagnose({ ...clues, rawBody: Buffer.from(rawBody) }),
  stop: async () => {},
}

/** Whatever the setting says, one body of the largest size can always arrive and be stored. */
function bodyMemoryLimit({ maxBodyMemoryBytes, maxBodyBytes }: Settings): number {
  return Math.max(maxBodyMemoryBytes, 2 * maxBodyBytes)
}

/** Ids for attempts that are in memory only. */
function attemptIds(clock: () => number): () => string {
  const next = createSequence(clock)
  return () => `att_${sequenceText(next())}`
}
