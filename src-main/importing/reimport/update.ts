import { type Fields, fieldDigest, withOwn } from '#main/connections/imported.ts'
import type { ActionRecord } from '#main/storage/config.ts'
import { ServiceError } from '#shared/errors.ts'
import { ActionFields } from '#shared/model/action.ts'
import type { NewEventType } from '#shared/model/event-type.ts'
import type { UpdateChoice } from '#shared/model/import-comparison.ts'
import type { Imported } from '#shared/model/imported.ts'
import { issuesOf } from '#shared/model/issue.ts'
import type { Change, Difference } from './compare.ts'
import type { DocumentItem, NamedAction, PresentItem } from './items.ts'

/** The update of an action or event type. Without `fields`, only its note of the import changes. */
export type RecordUpdate = {
  readonly imported: Imported
  readonly fields?: Partial<ActionFields> | Pick<NewEventType, 'label' | 'samplePayload' | 'sampleText'>
}

/** The changes of a connection, as JSON carries them from the worker. */
export type RecordUpdates = {
  readonly actions: readonly (NamedAction & { readonly imported: Imported })[]
  readonly eventTypes: readonly (NewEventType & { readonly imported: Imported })[]
  /** By the id of the action or event type. */
  readonly updates: Readonly<Record<string, RecordUpdate>>
  readonly disabled: readonly string[]
}

/**
 * Decides what taking some operations of a document changes. What is not taken counts as decided: it is the user's own
 * from now on, and offered again only when the document changes it again. Pure.
 *
 * @param now ISO 8601.
 * @throws ServiceError `invalid_input` for an operation or field that is not in the difference, and for fields that do
 *   not fit together.
 */
export function planUpdate(
  difference: Difference,
  { apply, fields = {} }: UpdateChoice,
  toolNames: Iterable<string>,
  now: string,
): RecordUpdates {
  const chosen = new Map<string, readonly string[] | null>(
    apply.map(operation => [operation, Object.hasOwn(fields, operation) ? (fields[operation] ?? []) : null]),
  )
  const isSelected = ({ operation }: { readonly operation: string }) => chosen.has(operation)
  requireOffered(difference, [...apply, ...Object.keys(fields)])
  const updates = new Map<string, RecordUpdate>()
  const disabled: string[] = []
  for (const change of difference.matched) {
    const update = updateOf(change, selectedFields(change, chosen), now)
    if (update !== null) updates.set(change.present.id, update)
  }
  for (const item of difference.removed) {
    const isDisabled = chosen.has(item.imported?.operation ?? '')
    updates.set(item.id, removalOf(item, isDisabled, now))
    if (isDisabled) disabled.push(item.name)
  }
  const taken = new Set(toolNames)
  const added = difference.added.filter(isSelected)
  return {
    actions: added.flatMap(entry => (entry.kind === 'action' ? [newAction(entry, taken)] : [])),
    eventTypes: added.flatMap(({ kind, content, operation }) =>
      kind === 'eventType' ? [{ ...content, imported: { operation } }] : [],
    ),
    updates: Object.fromEntries(updates),
    disabled,
  }
}

function requireOffered({ added, matched, removed }: Difference, chosen: readonly string[]): void {
  const offered = new Set([
    ...added.map(({ operation }) => operation),
    ...matched.map(({ entry }) => entry.operation),
    ...removed.map(({ imported }) => imported?.operation),
  ])
  const unknown = chosen.filter(operation => !offered.has(operation))
  refuse(unknown.map(operation => ({ path: 'apply', message: `The comparison has no ${operation}.` })))
}

function refuse(issues: { readonly path: string; readonly message: string }[]): void {
  if (issues.length > 0) throw new ServiceError('invalid_input', { data: { issues } })
}

/** Returns the fields to take: by default those that the user has not edited. */
function selectedFields({ entry, fields }: Change, chosen: ReadonlyMap<string, readonly string[] | null>) {
  const named = chosen.get(entry.operation)
  if (named === undefined) return new Set<string>()
  const offered = new Set(fields.map(({ field }) => field))
  if (named === null)
    return new Set(fields.flatMap(({ field, editedAt }) => (editedAt === null ? field : [])))
  refuse(
    named
      .filter(field => !offered.has(field))
      .map(field => ({
        path: 'apply',
        message: `The document has not changed ${field} of ${entry.operation}.`,
      })),
  )
  return new Set(named)
}

/** Returns what becomes of a record that the document has; null if nothing. */
function updateOf(change: Change, selected: ReadonlySet<string>, now: string): RecordUpdate | null {
  const { present, entry } = change
  const fields = new Map(present.fields)
  for (const field of selected)
    if (entry.fields.has(field)) fields.set(field, entry.fields.get(field))
    else fields.delete(field)
  const imported = withOwn(entry.operation, ownFields(change, fields, now))
  if (selected.size > 0) return { imported, fields: changedFields(present, entry, fields, selected) }
  return JSON.stringify(imported) === JSON.stringify(present.imported) ? null : { imported }
}

/** Returns the fields that differ from the document after an update. */
function ownFields({ present, entry, fields: changed }: Change, fields: Fields, now: string) {
  const editedAt = new Map(changed.map(one => [one.field, one.editedAt]))
  const own = new Map<string, { at: string; was: string | null }>()
  for (const field of new Set([...fields.keys(), ...entry.fields.keys()])) {
    const was = fieldDigest(entry.fields.get(field))
    if (fieldDigest(fields.get(field)) === was) continue
    own.set(field, { at: present.imported?.own?.[field]?.at ?? editedAt.get(field) ?? now, was })
  }
  return own
}

function changedFields(
  present: PresentItem,
  entry: DocumentItem,
  fields: Fields,
  selected: ReadonlySet<string>,
) {
  if (present.kind === 'action') return actionFields(present.content, entry.operation, fields)
  const { label, samplePayload = null, sampleText = null } = entry.kind === 'eventType' ? entry.content : {}
  return {
    ...(selected.has('label') && { label: label || null }),
    ...(selected.has('samplePayload') && { samplePayload, sampleText }),
  }
}

/** Returns the fields of an action from those that are compared. */
function actionFields(content: ActionRecord, operation: string, fields: Fields): ActionFields {
  const headers: [string, unknown][] = []
  const parameters: unknown[] = []
  const own: [string, unknown][] = []
  for (const [field, value] of fields)
    if (field.startsWith('headers.')) headers.push([field.slice('headers.'.length), value])
    else if (field.startsWith('parameters.')) parameters.push(value)
    else own.push([field, value])
  const { data, error } = ActionFields.safeParse({
    toolName: content.toolName,
    ...Object.fromEntries(own),
    headers: headers.length === 0 ? null : Object.fromEntries(headers),
    parameters,
  })
  if (error === undefined) return data
  const issues = issuesOf(error).map(({ path, message }) => ({ path: `${operation}.${path}`, message }))
  throw new ServiceError('invalid_input', { data: { issues } })
}

function removalOf(
  { imported = { operation: '' } }: PresentItem,
  isDisabled: boolean,
  now: string,
): RecordUpdate {
  const own = new Map(Object.entries(imported.own ?? {}))
  const at = own.get('isEnabled')?.at ?? now
  if (isDisabled) own.delete('isEnabled')
  else own.set('isEnabled', { at, was: fieldDigest(false) })
  return { imported: withOwn(imported.operation, own), ...(isDisabled && { fields: { isEnabled: false } }) }
}

/** Returns an action with a tool name that the connection does not have yet. @param taken gets the name. */
function newAction({ content, operation }: DocumentItem & { kind: 'action' }, taken: Set<string>) {
  let { toolName } = content
  for (let number = 2; taken.has(toolName); number++) {
    const suffix = `_${number}`
    toolName = content.toolName.slice(0, 64 - suffix.length) + suffix
  }
  taken.add(toolName)
  return { ...content, toolName, imported: { operation } }
}
