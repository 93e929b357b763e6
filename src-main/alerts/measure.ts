import type { Occurrence } from '#main/history/kinds.ts'
import type { Statistics } from '#main/history/statistics/statistics.ts'
import { parseBodyText } from '#main/inbound/body.ts'
import type { Bus } from '#main/lib/bus.ts'
import { sha256Hex } from '#main/lib/sha256-hex.ts'
import { createTimeSlices } from '#main/lib/time-slices.ts'
import type { EventTypeRecord } from '#main/storage/config.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import { withCompared, withOffset } from '#main/storage/measured.ts'
import { connectionThresholds } from '#shared/model/alert.ts'
import { eventTextOf } from '#shared/model/sender/reading.ts'
import { comparePayload } from './compare-payload.ts'

type Accepted = Extract<Occurrence, { kind: 'event.accepted' }>

/** Larger bodies are not compared. In bytes. */
const maxBody = 64 * 1024
/** Connections and names of which one event is measured in a second. */
const maxNames = 1000
/** The characters of the bodies that wait. */
const maxWaiting = 4 * 1024 * 1024
const sliceMs = 2

type MeasureParts = {
  readonly store: Pick<ConfigStore, 'snapshot'>
  readonly occurrences: Pick<Bus<Occurrence>, 'subscribe'>
  readonly statistics: Pick<Statistics, 'measure'>
  readonly onError: (error: unknown) => void
}

const digests = new WeakMap<EventTypeRecord, string>()

/** Returns what identifies the sample of an event type; null without one. */
export function sampleDigest(type: EventTypeRecord): string | null {
  if (type.samplePayload === null) return null
  const known = digests.get(type)
  if (known !== undefined) return known
  const text = type.sampleText ?? JSON.stringify(type.samplePayload)
  const digest = sha256Hex(text).slice(0, 16)
  digests.set(type, digest)
  return digest
}

/**
 * Measures accepted events after their answer: how far the sender's clock is off, and how the payload differs from its
 * sample. At most one event in each second of a connection and a name. Returns the function that ends this.
 */
export function measureEvents({ store, occurrences, statistics, onError }: MeasureParts): () => void {
  const slices = createTimeSlices({ sliceMs, isBusy: () => false })
  let second = 0
  /** The names of events by their connection: a joined text would have to be made for each event. */
  const measured = new Map<string, Set<string>>()
  let names = 0
  let waiting = 0
  let hasEnded = false

  function measure({ connectionId, eventName, bodyText, reading, at, sentAt }: Accepted): void {
    const connection = store.snapshot().connections.get(connectionId)
    if (hasEnded || connection === undefined) return
    const { clock, payload } = connection.watch ?? connectionThresholds
    if (clock.enabled && typeof sentAt === 'number')
      statistics.measure(connectionId, before => withOffset(before, sentAt - at))
    if (!payload.enabled || payload.mutedEvents.includes(eventName)) return
    const type = connection.eventTypes.find(one => one.eventName === eventName)
    const sample = type === undefined ? null : sampleDigest(type)
    if (type === undefined || sample === null || Buffer.byteLength(bodyText) > maxBody) return
    const body = parseBodyText(
      eventTextOf({ eventName, bodyText, ...(reading !== undefined && { reading }) }),
    )
    if (!body.ok) return
    const fields = comparePayload(type.samplePayload, body.data, connection.persistEvents)
    statistics.measure(connectionId, before => withCompared(before, { eventName, sample, fields, at }))
  }

  function add(occurrence: Occurrence): void {
    if (occurrence.kind !== 'event.accepted' || occurrence.isQuestion === true) return
    const { connectionId, eventName, bodyText, at } = occurrence
    const now = Math.floor(at / 1000)
    if (now !== second) {
      measured.clear()
      names = 0
      second = now
    }
    if (names >= maxNames || waiting > maxWaiting) return
    const known = measured.get(connectionId)
    if (known?.has(eventName)) return
    if (known === undefined) measured.set(connectionId, new Set([eventName]))
    else known.add(eventName)
    names++
    waiting += bodyText.length
    setImmediate(() => {
      slices
        .run(() => {
          waiting -= bodyText.length
          measure(occurrence)
        })
        .catch(onError)
    })
  }

  const unsubscribe = occurrences.subscribe(add)
  return () => {
    hasEnded = true
    unsubscribe()
  }
}
