import { type Action, ActionData, type ActionFields } from '#shared/model/action.ts'
import type { Parameter } from '#shared/model/parameter.ts'

type Row = { readonly id: number }
type RowOf = {
  readonly headers: Row & { readonly name: string; readonly value: string }
  readonly parameters: Row & Readonly<Parameter>
  readonly responseMapping: Row & { readonly alias: string; readonly path: string }
}
/** A field of an action that is a list of rows in the form. */
export type Part = keyof RowOf
export type RowIn<P extends Part> = RowOf[P]
export type Rows = { readonly [P in Part]: readonly RowOf[P][] }

/** Make a new row of each part. */
export const blankRow: { readonly [P in Part]: (id: number) => RowOf[P] } = {
  headers: id => ({ id, name: '', value: '' }),
  parameters: id => ({ id, name: '', type: 'string', description: '', required: true }),
  responseMapping: id => ({ id, alias: '', path: '' }),
}

/** An action as it is in the form, valid or not. */
export type ActionDraft = Readonly<Omit<ActionFields, Part>> &
  Rows & {
    /** Whether the tool name is made from the name: until the user writes another. */
    readonly followsName: boolean
    /** The id of the next row. Ids are never reused. */
    readonly nextId: number
  }

export function newDraft(name: string): ActionDraft {
  return {
    name,
    toolName: '',
    followsName: true,
    description: '',
    method: 'POST',
    path: '/',
    isEnabled: true,
    headers: [],
    parameters: [],
    responseMapping: [],
    nextId: 0,
  }
}

/** Returns the draft of a saved action. Its rows get ids from `firstId` on. */
export function draftOf(action: Action | ActionFields, firstId = 0): ActionDraft {
  let nextId = firstId
  const { headers, parameters, responseMapping, ...plain } = ActionData.parse(action)
  return {
    ...plain,
    followsName: false,
    headers: Object.entries(headers ?? {}).map(([name, value]) => ({ id: nextId++, name, value })),
    parameters: parameters.map(parameter => ({ ...parameter, id: nextId++ })),
    responseMapping: Object.entries(responseMapping ?? {}).map(([alias, path]) => ({
      id: nextId++,
      alias,
      path,
    })),
    nextId,
  }
}

/** Returns the rows that contain text. A row that was added and left blank is ignored. */
export function filledRows(draft: ActionDraft): Rows {
  return {
    headers: draft.headers.filter(({ name, value }) => name !== '' || value !== ''),
    parameters: draft.parameters.filter(({ name, description }) => name !== '' || description !== ''),
    responseMapping: draft.responseMapping.filter(({ alias, path }) => alias !== '' || path !== ''),
  }
}

/** Returns the fields as they would be saved, valid or not. */
export function fieldsOf(draft: ActionDraft): ActionFields {
  const { followsName: _follows, nextId: _next, ...plain } = draft
  const { headers, parameters, responseMapping } = filledRows(draft)
  return {
    ...plain,
    headers: recordOf(headers.map(({ name, value }) => [name, value])),
    parameters: parameters.map(({ id: _, ...parameter }) => parameter),
    responseMapping: recordOf(responseMapping.map(({ alias, path }) => [alias, path])),
  }
}

function recordOf(entries: readonly (readonly [string, string])[]): Record<string, string> | null {
  return entries.length === 0 ? null : Object.fromEntries(entries)
}

/** The names of the fields in a list of changes, in the order of the form. */
const labels: Readonly<Record<Exclude<keyof ActionFields, 'isEnabled'>, string>> = {
  name: 'Name',
  toolName: 'Tool name',
  description: 'Description',
  method: 'Method',
  path: 'Path',
  headers: 'Headers',
  parameters: 'Parameters',
  responseMapping: 'Response mapping',
}

/** Returns the fields of the draft that differ from the saved ones, except `isEnabled`, which is saved at once. */
export function changeOf(saved: ActionFields, draft: ActionDraft): Partial<ActionFields> {
  const before = fieldsOf(draftOf(saved))
  const { isEnabled: _, ...now } = fieldsOf(draft)
  return Object.fromEntries(
    Object.entries(now).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof ActionFields]),
    ),
  )
}

/**
 * Returns the draft with changes that were saved elsewhere. A field that is being edited here keeps its text, and the
 * rows of an unchanged field keep their ids.
 *
 * @param base the saved fields that the draft was made from.
 */
export function mergeSaved(draft: ActionDraft, base: ActionFields, saved: ActionFields): ActionDraft {
  const here = changeOf(base, draft)
  const fresh = draftOf(saved, draft.nextId)
  const elsewhere = Object.keys(changeOf(base, fresh)).filter(name => !Object.hasOwn(here, name))
  if (elsewhere.length === 0) return draft
  const changes = elsewhere.map(name => [name, fresh[name as keyof ActionFields]])
  return { ...draft, ...Object.fromEntries(changes), nextId: fresh.nextId }
}

/** Returns the names of the fields that have other values in the draft and in what was saved elsewhere. */
export function changedTwice(draft: ActionDraft, base: ActionFields, saved: ActionFields): string[] {
  const here = changeLabels(changeOf(base, draft))
  const elsewhere = changeLabels(changeOf(base, draftOf(saved)))
  return changeLabels(changeOf(saved, draft)).filter(name => here.includes(name) && elsewhere.includes(name))
}

/** Returns the names of the changed fields: “Headers”, “Parameters”. */
export function changeLabels(change: Partial<ActionFields>): string[] {
  return Object.entries(labels).flatMap(([name, label]) => (Object.hasOwn(change, name) ? [label] : []))
}

/** Returns the rows with one of them moved to another index, or the same rows if there is no such index. */
export function moveRow<R extends Row>(rows: readonly R[], id: number, to: number): readonly R[] {
  const from = rows.findIndex(row => row.id === id)
  const row = rows[from]
  return row === undefined || rows[to] === undefined ? rows : rows.toSpliced(from, 1).toSpliced(to, 0, row)
}
