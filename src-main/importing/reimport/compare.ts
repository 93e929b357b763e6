import { fieldDigest } from '#main/connections/imported.ts'
import { type DocumentItem, type Known, type PresentItem, presentItems, seenIn } from './items.ts'

/** A field that the document has changed. */
export type FieldChange = {
  readonly field: string
  /** Undefined for a field that is missing. */
  readonly before: unknown
  readonly after: unknown
  /** When the user edited it, in ISO 8601; null for a field that is as the last document had it. */
  readonly editedAt: string | null
}

export type Change = {
  readonly present: PresentItem
  readonly entry: DocumentItem
  readonly fields: readonly FieldChange[]
  /** The fields that the user edited and the document has not changed. */
  readonly kept: readonly string[]
}

export type Difference = {
  /** Neither in the connection nor in the last document. */
  readonly added: readonly DocumentItem[]
  /** Those that are in both. `fields` is empty for those that the document has not changed. */
  readonly matched: readonly Change[]
  /** Enabled actions of the last document that are not in this one. */
  readonly removed: readonly PresentItem[]
  /** The number of entries that were in the last document too, but are not in the connection. */
  readonly notTaken: number
  /** Whether the document has none of the actions and event types of the last one. */
  readonly isOtherDocument: boolean
}

/**
 * Compares a connection with a document. A field counts as changed if the document has another value than the last one
 * had, and the connection does not have it yet. Pure.
 */
export function compareItems(known: Known, entries: readonly DocumentItem[]): Difference {
  const present = presentItems(known)
  const operations = new Set(entries.map(({ operation }) => operation))
  const byOperation = new Map<string, PresentItem>()
  const byName = new Map<string, PresentItem>()
  for (const item of present) {
    const { kind, name, imported } = item
    if (imported !== undefined && operations.has(imported.operation))
      byOperation.set(`${kind} ${imported.operation}`, item)
    // A document that has only moved an operation to another path still names it.
    else byName.set(`${kind} ${name}`, item)
  }
  const isSeen = seenIn(known.source?.seen ?? '')
  const eventNames = new Set(known.eventTypes.map(({ eventName }) => eventName))

  const added: DocumentItem[] = []
  const matched: Change[] = []
  let notTaken = 0
  for (const entry of entries) {
    const { kind, operation, name } = entry
    const found = byOperation.get(`${kind} ${operation}`) ?? byName.get(`${kind} ${name}`)
    if (found !== undefined) matched.push(changeOf(found, entry))
    else if (isSeen(operation) || (kind === 'eventType' && eventNames.has(name))) notTaken++
    else added.push(entry)
  }
  const isMatched = new Set(matched.map(({ present: { id } }) => id))
  const imported = present.filter(item => item.imported !== undefined)
  const gone = imported.filter(({ id }) => !isMatched.has(id))
  return {
    added,
    matched,
    removed: gone.filter(item => item.kind === 'action' && item.content.isEnabled),
    notTaken,
    isOtherDocument: gone.length > 0 && gone.length === imported.length,
  }
}

function changeOf(present: PresentItem, entry: DocumentItem): Change {
  const { imported } = present
  const fields: FieldChange[] = []
  const kept: string[] = []
  for (const field of new Set([...entry.fields.keys(), ...present.fields.keys()])) {
    const [before, after] = [present.fields.get(field), entry.fields.get(field)]
    const [mine, theirs] = [fieldDigest(before), fieldDigest(after)]
    if (mine === theirs) continue
    const own = imported?.own?.[field]
    if (own !== undefined && own.was === theirs) kept.push(field)
    else fields.push({ field, before, after, editedAt: own?.at ?? (imported ? null : editedAt(present)) })
  }
  return { present, entry, fields, kept }
}

/** Returns when a record that no import is known of was edited: each of its fields may be the user's own. */
function editedAt({ content: { createdAt, updatedAt } }: PresentItem): string | null {
  return createdAt === updatedAt ? null : updatedAt
}
