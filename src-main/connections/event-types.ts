import { definedFields } from '#main/lib/defined-fields.ts'
import { nextVersion } from '#main/lib/next-version.ts'
import type { Config, ConnectionRecord, EventTypeRecord } from '#main/storage/config.ts'
import type { ConfigChange } from '#main/storage/config-store.ts'
import { ServiceError } from '#shared/errors.ts'
import {
  type EventType,
  type EventTypeChange,
  EventTypeData,
  type NewEventType,
  parseSample,
} from '#shared/model/event-type.ts'
import { variablesOf } from '#shared/model/event-variables.ts'
import { findConnection, withConnection } from './connections.ts'
import { newId, type RandomBytes } from './identifiers.ts'
import { afterEdit, fieldsOfEventType } from './imported.ts'

/** The fields except the sample, which an input contains as a value or as text. */
const Described = EventTypeData.omit({ samplePayload: true, sampleText: true })

export function toEventType(record: EventTypeRecord): EventType {
  return { ...record, variables: variablesOf(record.samplePayload) }
}

/** Creates the record of a new event type. Does not check whether its name is taken. @param now ISO 8601. */
export function newEventTypeRecord(input: NewEventType, now: string, random: RandomBytes): EventTypeRecord {
  return {
    eventTypeId: newId('evtype', random),
    ...Described.parse({ ...input, label: labelOf(input.label) }),
    ...(sampleOf(input) ?? { samplePayload: null, sampleText: null }),
    createdAt: now,
    updatedAt: now,
  }
}

/** @throws ServiceError `connection_not_found`, `duplicate_event_name`. */
export function createEventType(
  config: Config,
  connectionId: string,
  input: NewEventType,
  now: string,
  random: RandomBytes,
): ConfigChange<EventTypeRecord> {
  const connection = findConnection(config, connectionId)
  refuseDuplicate(connection, input.eventName, null)
  const record = newEventTypeRecord(input, now, random)
  const eventTypes = [...connection.eventTypes, record]
  return { next: withConnection(config, nextVersion(connection, { eventTypes }, now)), result: record }
}

/** @throws ServiceError `connection_not_found`, `event_type_not_found`, `duplicate_event_name`. */
export function changeEventType(
  config: Config,
  connectionId: string,
  eventTypeId: string,
  change: EventTypeChange,
  now: string,
): ConfigChange<EventTypeRecord> {
  const connection = findConnection(config, connectionId)
  const before = findEventType(connection, eventTypeId)
  const eventName = change.eventName ?? before.eventName
  refuseDuplicate(connection, eventName, eventTypeId)
  const label = change.label === undefined ? before.label : labelOf(change.label)
  const described = Described.parse({ ...before, ...definedFields(change), label })
  const fields = { ...before, ...described, ...sampleOf(change) }
  const imported =
    before.imported && afterEdit(before.imported, fieldsOfEventType(before), fieldsOfEventType(fields), now)
  const record: EventTypeRecord = nextVersion(before, { ...fields, ...(imported && { imported }) }, now)
  const eventTypes = connection.eventTypes.map(type => (type === before ? record : type))
  return { next: withConnection(config, nextVersion(connection, { eventTypes }, now)), result: record }
}

/** @throws ServiceError `connection_not_found`, `event_type_not_found`. */
export function removeEventType(
  config: Config,
  connectionId: string,
  eventTypeId: string,
  now: string,
): ConfigChange<void> {
  const connection = findConnection(config, connectionId)
  const record = findEventType(connection, eventTypeId)
  const eventTypes = connection.eventTypes.filter(type => type !== record)
  return { next: withConnection(config, nextVersion(connection, { eventTypes }, now)), result: undefined }
}

/** @throws ServiceError `event_type_not_found`. */
export function findEventType(connection: ConnectionRecord, eventTypeId: string): EventTypeRecord {
  const record = connection.eventTypes.find(type => type.eventTypeId === eventTypeId)
  if (record === undefined) throw new ServiceError('event_type_not_found')
  return record
}

/** @param exceptId the changed event type. */
function refuseDuplicate(connection: ConnectionRecord, eventName: string, exceptId: string | null): void {
  if (!connection.eventTypes.some(type => type.eventName === eventName && type.eventTypeId !== exceptId))
    return
  throw new ServiceError('duplicate_event_name', {
    data: {
      issues: [{ path: 'eventName', message: 'The connection already has an event type with this name.' }],
    },
  })
}

/** Returns the sample in an input; undefined if the input has no sample field. */
function sampleOf({
  samplePayload,
  sampleText,
}: EventTypeChange): Pick<EventTypeRecord, 'samplePayload' | 'sampleText'> | undefined {
  if (typeof sampleText === 'string') return { samplePayload: parseSample(sampleText), sampleText }
  if (sampleText === null) return { samplePayload: null, sampleText: null }
  return samplePayload === undefined ? undefined : { samplePayload, sampleText: null }
}

function labelOf(label: string | null | undefined): string | null {
  return label === undefined || label === '' ? null : label
}
