import { z } from 'zod'
import { type Action, ActionData, type ActionFields } from '#shared/model/action.ts'
import { type Parameter, sendingFields } from '#shared/model/parameter.ts'
import type { Field, Fields } from '../../ui/draft/draft.ts'
import { isSecretName } from '../../ui/draft/without-secrets.ts'

type Row = { readonly id: number }
/** Texts that are not JSON yet, and so are not in their fields. */
export type Unread = Readonly<Partial<Record<'schema' | 'value', string>>>
type RowOf = {
  readonly headers: Row & { readonly name: string; readonly value: string }
  readonly parameters: Row & Readonly<Parameter> & { readonly unread?: Unread | undefined }
  readonly responseMapping: Row & { readonly alias: string; readonly path: string }
}
/** A field of an action that is a list of rows in the form. */
export type Part = keyof RowOf
export type RowIn<P extends Part> = RowOf[P]
export type Rows = { readonly [P in Part]: readonly RowOf[P][] }

let lastId = 0
/** Returns an id that no other row has. */
const newId = () => ++lastId

/** Make a new row of each part. */
export const blankRow: { readonly [P in Part]: () => RowOf[P] } = {
  headers: () => ({ id: newId(), name: '', value: '' }),
  parameters: () => ({ id: newId(), name: '', type: 'string', description: '', required: true }),
  responseMapping: () => ({ id: newId(), alias: '', path: '' }),
}

/** An action as it is in the form, valid or not. */
export type ActionDraft = Readonly<Omit<ActionFields, Part>> &
  Rows & {
    /** Whether the tool name is made from the name: until the user writes another. */
    readonly followsName: boolean
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
  }
}

/** Returns the draft of a saved action. */
export function draftOf(action: Action | ActionFields): ActionDraft {
  const { headers, parameters, responseMapping, ...plain } = ActionData.parse(action)
  return {
    ...plain,
    followsName: false,
    headers: Object.entries(headers ?? {}).map(([name, value]) => ({ id: newId(), name, value })),
    parameters: parameters.map(parameter => ({ ...parameter, id: newId() })),
    responseMapping: Object.entries(responseMapping ?? {}).map(([alias, path]) => ({
      id: newId(),
      alias,
      path,
    })),
  }
}

const filled: { readonly [P in Part]: (rows: Rows[P]) => Rows[P] } = {
  headers: rows => rows.filter(({ name, value }) => name !== '' || value !== ''),
  parameters: rows => rows.filter(({ name, description }) => name !== '' || description !== ''),
  responseMapping: rows => rows.filter(({ alias, path }) => alias !== '' || path !== ''),
}

/** Returns the rows that contain text. A row that was added and left blank is ignored. */
export function filledRows({ headers, parameters, responseMapping }: ActionDraft): Rows {
  return {
    headers: filled.headers(headers),
    parameters: filled.parameters(parameters),
    responseMapping: filled.responseMapping(responseMapping),
  }
}

/** Returns the fields as they would be saved, valid or not. */
export function fieldsOf(draft: ActionDraft): ActionFields {
  const { followsName: _follows, ...plain } = draft
  const { headers, parameters, responseMapping } = filledRows(draft)
  return {
    ...plain,
    headers: recordOf(headers.map(({ name, value }) => [name, value])),
    parameters: parameters.map(parameterOf),
    responseMapping: recordOf(responseMapping.map(({ alias, path }) => [alias, path])),
  }
}

export const sendingNames = z.object(sendingFields).keyof().options

/** Returns the parameter of a row. A field that says nothing is not in it. */
function parameterOf({ id: _, unread: __, ...row }: RowOf['parameters']): Parameter {
  const parameter: Parameter = { ...row }
  for (const name of sendingNames) if (parameter[name] === undefined) delete parameter[name]
  return parameter
}

function recordOf(entries: readonly (readonly [string, string])[]): Record<string, string> | null {
  return entries.length === 0 ? null : Object.fromEntries(entries)
}

/** Returns a field that is a list of rows. @param show returns a row in words. */
function rowsField<P extends Part>(part: P, label: string, show: (row: RowIn<P>) => string): Field<Rows[P]> {
  const used = (rows: Rows[P]): readonly RowIn<P>[] => filled[part](rows)
  return {
    label,
    saved: rows => used(rows).map(row => ({ ...row, id: 0 })),
    show: rows => used(rows).map(show).join('\n') || 'None',
  }
}

/** The fields of an action, except `isEnabled`, which is saved at once. */
export const actionFields: Required<Fields<Omit<ActionDraft, 'isEnabled' | 'followsName'>>> = {
  name: 'name',
  toolName: 'tool name',
  description: 'description',
  method: 'method',
  path: 'path',
  headers: {
    ...rowsField('headers', 'headers', ({ name, value }) => `${name}: ${value}`),
    stored: rows => rows.map(row => ({ ...row, value: '' })),
    completed: (rows, base) =>
      rows.map(row => {
        const value = base.find(({ name }) => name === row.name)?.value ?? ''
        return { ...row, id: newId(), value }
      }),
    missing: 'header values',
  },
  parameters: {
    ...rowsField('parameters', 'parameters', ({ id: _, ...parameter }) => JSON.stringify(parameter)),
    stored: rows => rows.map(row => (isHidden(row) ? { ...row, value: '', unread: undefined } : row)),
    completed: (rows, base) =>
      rows.map(row => {
        const { value } = (isHidden(row) && base.find(({ name }) => name === row.name)) || row
        return { ...row, id: newId(), ...(value !== undefined && { value }) }
      }),
    missing: 'constants in headers, and those that are credentials',
  },
  sendsBody: { label: 'body', show: sendsBody => (sendsBody === false ? 'None' : 'As its Content-Type') },
  responseMapping: {
    ...rowsField('responseMapping', 'response mapping', ({ alias, path }) => `${alias}: ${path}`),
    completed: withNewIds,
  },
}

/** Whether a parameter is a constant that the browser must not store: one of a header, or a credential by its name. */
function isHidden({ in: place, value, unread, name, wireName = name }: RowIn<'parameters'>): boolean {
  const isConstant = value !== undefined || unread?.value !== undefined
  return isConstant && (place === 'header' || isSecretName(wireName) || isSecretName(name))
}

/** Rows of an earlier page may have the ids of rows of this one. */
function withNewIds<R extends Row>(rows: readonly R[]): R[] {
  return rows.map(row => ({ ...row, id: newId() }))
}

/** Returns the rows with one of them moved to another index, or the same rows if there is no such index. */
export function moveRow<R extends Row>(rows: readonly R[], id: number, to: number): readonly R[] {
  const from = rows.findIndex(row => row.id === id)
  const row = rows[from]
  return row === undefined || rows[to] === undefined ? rows : rows.toSpliced(from, 1).toSpliced(to, 0, row)
}

/** Returns the texts that are not JSON yet with one of them changed; undefined if there are none. */
export function withUnread(
  unread: Unread | undefined,
  field: keyof Unread,
  text: string | null,
): Unread | undefined {
  const { [field]: _, ...others } = unread ?? {}
  if (text !== null) return { ...others, [field]: text }
  return Object.keys(others).length === 0 ? undefined : others
}
