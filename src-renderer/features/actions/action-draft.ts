import { type Action, ActionData, type ActionFields } from '#shared/model/action.ts'
import type { Parameter } from '#shared/model/parameter.ts'

type Row = { readonly id: number }
export type HeaderRow = Row & { readonly name: string; readonly value: string }
export type ParameterRow = Row & Readonly<Parameter>
export type MappingRow = Row & { readonly alias: string; readonly path: string }

/** An action as it stands in the form: what is not valid yet included, its records as rows. */
export type ActionDraft = Readonly<Omit<ActionFields, 'headers' | 'parameters' | 'responseMapping'>> & {
  /** The tool name is made from the name as long as nobody has written one. */
  readonly followsName: boolean
  readonly headers: readonly HeaderRow[]
  readonly parameters: readonly ParameterRow[]
  readonly mapping: readonly MappingRow[]
  /** Of the next row. No id comes twice. */
  readonly nextId: number
}

export type DraftChange = Partial<ActionDraft>

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
    mapping: [],
    nextId: 0,
  }
}

/** @param firstId of its rows, where others were shown before them. */
export function draftOf(action: Action | ActionFields, firstId = 0): ActionDraft {
  let nextId = firstId
  const { headers, parameters, responseMapping, ...plain } = ActionData.parse(action)
  return {
    ...plain,
    followsName: false,
    headers: Object.entries(headers ?? {}).map(([name, value]) => ({ id: nextId++, name, value })),
    parameters: parameters.map(parameter => ({ ...parameter, id: nextId++ })),
    mapping: Object.entries(responseMapping ?? {}).map(([alias, path]) => ({
      id: nextId++,
      alias,
      path,
    })),
    nextId,
  }
}

/** The rows that say anything: one that was added and left blank counts as not there. */
export function filledRows(draft: ActionDraft) {
  return {
    headers: draft.headers.filter(({ name, value }) => name !== '' || value !== ''),
    parameters: draft.parameters.filter(({ name, description }) => name !== '' || description !== ''),
    mapping: draft.mapping.filter(({ alias, path }) => alias !== '' || path !== ''),
  }
}

/** The fields as they would be saved, whether valid or not. */
export function fieldsOf(draft: ActionDraft): ActionFields {
  const { followsName: _follows, nextId: _next, mapping: _rows, ...plain } = draft
  const { headers, parameters, mapping } = filledRows(draft)
  return {
    ...plain,
    headers: recordOf(headers.map(({ name, value }) => [name, value])),
    parameters: parameters.map(({ id: _, ...parameter }) => parameter),
    responseMapping: recordOf(mapping.map(({ alias, path }) => [alias, path])),
  }
}

function recordOf(entries: readonly (readonly [string, string])[]): Record<string, string> | null {
  return entries.length === 0 ? null : Object.fromEntries(entries)
}

/** What each field is called where changes are listed, in the order of the form. */
const labels: Readonly<Record<keyof ActionFields, string>> = {
  name: 'Name',
  toolName: 'Tool name',
  description: 'Description',
  method: 'Method',
  path: 'Path',
  headers: 'Headers',
  parameters: 'Parameters',
  responseMapping: 'Response mapping',
  isEnabled: 'Enabled',
}

/** The fields of the draft that are not as they were saved; `isEnabled` applies at once and is none of them. */
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
 * The draft with what was changed elsewhere. Fields that are being changed here stay as they are, and of those that
 * changed nowhere the rows keep their ids.
 *
 * @param base what the draft was last the same as, save for what is being changed here.
 */
export function mergeSaved(draft: ActionDraft, base: ActionFields, saved: ActionFields): ActionDraft {
  const here = changeOf(base, draft)
  const fresh = draftOf(saved, draft.nextId)
  const elsewhere = Object.keys(changeOf(base, fresh)).filter(name => !Object.hasOwn(here, name))
  const parts = elsewhere.map(name => (name === 'responseMapping' ? 'mapping' : (name as keyof ActionDraft)))
  return parts.length === 0
    ? draft
    : { ...draft, ...Object.fromEntries(parts.map(part => [part, fresh[part]])), nextId: fresh.nextId }
}

/** “Headers, Parameters”: what a change is about. */
export function changeLabels(change: Partial<ActionFields>): string[] {
  return Object.entries(labels).flatMap(([name, label]) => (Object.hasOwn(change, name) ? [label] : []))
}

/** Rows with one of them moved up or down by one place; the same rows where it cannot go further. */
export function moveRow<R extends Row>(rows: readonly R[], id: number, by: 1 | -1): readonly R[] {
  const from = rows.findIndex(row => row.id === id)
  const to = from + by
  const row = rows[from]
  if (row === undefined || to < 0 || to >= rows.length) return rows
  return rows.toSpliced(from, 1).toSpliced(to, 0, row)
}
