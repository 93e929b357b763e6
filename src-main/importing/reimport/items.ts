import { createHash } from 'node:crypto'
import { type Fields, fieldsOfAction, fieldsOfEventType } from '#main/connections/imported.ts'
import { sha256Hex } from '#main/lib/sha256-hex.ts'
import type { ActionRecord, ConnectionRecord, EventTypeRecord } from '#main/storage/config.ts'
import type { NewEventType } from '#shared/model/event-type.ts'
import type { ImportFormat, Recognized } from '#shared/model/import-preview.ts'
import type { Imported, StoredSource } from '#shared/model/imported.ts'
import type { Method } from '#shared/model/method.ts'
import type { Constants } from '#shared/model/placeholders.ts'
import type { Parsed } from '../parse.ts'
import { type Plan, withToolName } from '../plan.ts'
import type { DocumentAction } from '../validate-document.ts'

/** The parts of a connection that are compared with a document. */
export type Known = Pick<ConnectionRecord, 'actions' | 'eventTypes' | 'source'>

export type NamedAction = DocumentAction & { readonly toolName: string }

/** An action or event type on either side: what is compared, and how it is shown. */
type Item = {
  /** The tool name or the event name. */
  readonly name: string
  readonly fields: Fields
}
type OfAction<Content> = { readonly kind: 'action'; readonly method: Method; readonly content: Content }
type OfEventType<Content> = { readonly kind: 'eventType'; readonly method: null; readonly content: Content }

/** An entry of the document. */
export type DocumentItem = Item & { readonly operation: string } & (
    | OfAction<NamedAction>
    | OfEventType<NewEventType>
  )

/** An action or event type of the connection. */
export type PresentItem = Item & { readonly id: string; readonly imported: Imported | undefined } & (
    | OfAction<ActionRecord>
    | OfEventType<EventTypeRecord>
  )

/** Returns the actions and event types of a connection. */
export function presentItems({ actions, eventTypes }: Known): PresentItem[] {
  return [
    ...actions.map(
      (content): PresentItem => ({
        ...{ kind: 'action', id: content.actionId, name: content.toolName, method: content.method },
        ...{ fields: fieldsOfAction(content), imported: content.imported, content },
      }),
    ),
    ...eventTypes.map(
      (content): PresentItem => ({
        ...{ kind: 'eventType', id: content.eventTypeId, name: content.eventName, method: null },
        ...{ fields: fieldsOfEventType(content), imported: content.imported, content },
      }),
    ),
  ]
}

/** Returns the entries of a document, each with its operation; only the first of entries with the same name. */
export function documentItems({
  content,
  operations,
}: Pick<Parsed, 'content' | 'operations'>): DocumentItem[] {
  if (content === null) return []
  const named = new Map<unknown, string>(operations?.map(({ action, name }) => [action, name]))
  const taken = new Set<string>()
  const items: DocumentItem[] = []
  for (const { path, fields: action } of content.actions.map(withToolName)) {
    const { toolName, method, headers = null, responseMapping = null } = action
    const given = named.get(path.at(-1)) ?? toolName
    const operation = taken.has(given) ? toolName : given
    if (taken.has(`action ${toolName}`) || taken.has(operation)) continue
    taken.add(operation).add(`action ${toolName}`)
    const fields = fieldsOfAction({ ...action, headers, responseMapping })
    items.push({ kind: 'action', operation, name: toolName, method, fields, content: action })
  }
  for (const { fields: eventType } of content.events) {
    const { eventName, label, samplePayload = null, sampleText = null } = eventType
    const operation = eventOperation(eventName)
    if (taken.has(operation)) continue
    taken.add(operation)
    const fields = fieldsOfEventType({ label: label || null, samplePayload, sampleText })
    items.push({ kind: 'eventType', operation, name: eventName, method: null, fields, content: eventType })
  }
  return items
}

/** The facts that a connection keeps about the document of an import. */
export type Origin = {
  readonly source: Omit<StoredSource, 'importedAt'>
  /** The operations of the created actions and event types, in their order. */
  readonly actions: readonly string[]
  readonly eventTypes: readonly string[]
}

/** Which operations of a document a connection has, if not those at its first server. */
export type OwnServer = Pick<StoredSource, 'server' | 'base'>

/**
 * Returns what to keep of a document.
 *
 * @param parsed its part for the connection.
 */
export function originOf(
  parsed: Parsed,
  { format }: Recognized,
  placeholders: Constants,
  plan: Pick<Plan, 'actions' | 'eventTypes'>,
  server: OwnServer = {},
): Origin {
  const items = documentItems(parsed)
  const operations = new Map(items.map(({ kind, name, operation }) => [`${kind} ${name}`, operation]))
  return {
    source: { ...sourceOf(parsed, format, placeholders, items), ...server },
    actions: plan.actions.map(({ toolName }) => operations.get(`action ${toolName}`) ?? toolName),
    eventTypes: plan.eventTypes.map(({ eventName }) => eventOperation(eventName)),
  }
}

/** Returns what a connection keeps of a document itself. @param items its entries. */
export function sourceOf(
  { text }: Pick<Parsed, 'text'>,
  format: ImportFormat,
  placeholders: Constants,
  items: readonly DocumentItem[],
): Origin['source'] {
  const hasConstants = Object.keys(placeholders).length > 0
  return { format, ...(hasConstants && { placeholders }), hash: sha256Hex(text), seen: seenOf(items) }
}

/** Returns what an event type is called among the operations of a document. */
const eventOperation = (eventName: string) => `event ${eventName}`

const digestLength = 8
const operationDigest = (operation: string) =>
  createHash('sha256').update(operation).digest('base64url').slice(0, digestLength)

/** Returns the digests of operations, for `source.seen`. */
function seenOf(items: readonly { readonly operation: string }[]): string {
  return items.map(({ operation }) => operationDigest(operation)).join('')
}

/** Returns whether an operation was in the last imported document. */
export function seenIn(seen: string): (operation: string) => boolean {
  const digests = new Set<string>()
  for (let at = 0; at < seen.length; at += digestLength) digests.add(seen.slice(at, at + digestLength))
  return operation => digests.has(operationDigest(operation))
}
