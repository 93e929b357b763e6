import { ActionFields } from '#shared/model/action.ts'
import { openPlaceholderProblem } from '#shared/model/action-path.ts'
import { codeOf, type Issue } from '#shared/model/issue.ts'
import { sendingIssues } from '#shared/request/sending-issues.ts'
import { type ActionDraft, fieldsOf, filledRows, sendingNames, type Unread } from './action-draft.ts'
import { openPlaceholders } from './definition/placeholders.ts'

/** The problems by field: `path`, or `parameters.3.name` for the row with the id 3. */
export type DraftIssues = ReadonlyMap<string, string>

type Found = Pick<Issue, 'code'> & { readonly path: readonly (string | number)[] }

/**
 * Validates a draft against the model and returns the problems by field.
 *
 * @param takenBy returns the name of another action with this tool name, if there is one.
 */
export function draftIssues(
  draft: ActionDraft,
  takenBy: (toolName: string) => string | undefined,
): DraftIssues {
  const issues = new Map<string, string>()
  const add = (key: string, message: string) => {
    if (!issues.has(key)) issues.set(key, message)
  }
  addRecordIssues(draft, add)
  for (const { id, unread = {} } of draft.parameters)
    for (const [field, message] of Object.entries(unreadMessages))
      if (field in unread) add(`parameters.${id}.${field}`, message)
  const { error } = ActionFields.safeParse(fieldsOf(draft))
  for (const issue of error?.issues ?? []) {
    const path = issue.path.map(step => (typeof step === 'symbol' ? String(step) : step))
    add(keyOf(draft, { path, ...codeOf(issue) }), issue.message)
  }
  const [open] = openPlaceholders(fieldsOf(draft))
  if (open !== undefined && issues.get('path') === openPlaceholderProblem(`{${open}}`))
    issues.set(
      'path',
      `No parameter fills {${open}}. Add a parameter of this name, or remove the placeholder.`,
    )
  const other = takenBy(draft.toolName)
  if (other !== undefined) add('toolName', `${other} has this tool name already.`)
  // A tool name that follows the name is not the user's to correct.
  if (draft.followsName && other === undefined) issues.delete('toolName')
  return issues
}

const unreadMessages: Readonly<Record<keyof Unread, string>> = {
  schema: 'The schema is not a JSON object yet.',
  value: 'The value is not JSON yet, or has a number with more digits than are kept.',
}

/** Returns the fields with a problem of where and how something is sent, which another field may have caused. */
export function sendingKeys(draft: ActionDraft): ReadonlySet<string> {
  return new Set(sendingIssues(fieldsOf(draft)).map(issue => keyOf(draft, issue)))
}

/** Returns the problems that the service found, by field. A problem of no field has an empty key. */
export function serverIssues(draft: ActionDraft, issues: readonly Issue[]): DraftIssues {
  return new Map(
    issues.map(({ path, code, message }) => [keyOf(draft, { path: stepsOf(path), code }), message] as const),
  )
}

/** Returns the fields of a parameter's row, in the order of the form. */
export function parameterKeys(id: number): string[] {
  return parameterFields.map(field => `parameters.${id}.${field}`)
}

const parameterFields = ['name', 'type', 'description', 'required', ...sendingNames]

/** Returns the key of the first problem in the order of the form. */
export function firstIssue(draft: ActionDraft, issues: DraftIssues): string | null {
  const rows = [
    ...draft.headers.flatMap(({ id }) => [`headers.${id}.name`, `headers.${id}.value`]),
    ...draft.parameters.flatMap(({ id }) => parameterKeys(id)),
    ...draft.responseMapping.flatMap(({ id }) => [
      `responseMapping.${id}.alias`,
      `responseMapping.${id}.path`,
    ]),
  ]
  const order = ['name', 'toolName', 'description', 'method', 'path', ...rows, 'headers', 'parameters', '']
  return order.find(key => issues.has(key)) ?? null
}

/** Adds the problems that a record cannot have: a missing key, and a repeated one. */
function addRecordIssues(draft: ActionDraft, add: (key: string, message: string) => void): void {
  const { headers, responseMapping } = filledRows(draft)
  const names = headers.map(({ name }) => name.toLowerCase())
  for (const [index, { id, name }] of headers.entries()) {
    if (name === '') add(`headers.${id}.name`, 'Give the header a name.')
    else if (names.indexOf(name.toLowerCase()) < index)
      add(`headers.${id}.name`, 'This header is repeated. Upper and lower case count as the same.')
  }
  const aliases = responseMapping.map(({ alias }) => alias)
  for (const [index, { id, alias, path }] of responseMapping.entries()) {
    const key = `responseMapping.${id}`
    if (alias === '') add(`${key}.alias`, 'Give the field an alias.')
    else if (aliases.indexOf(alias) < index) add(`${key}.alias`, `The alias ${alias} is repeated.`)
    if (path === '') add(`${key}.path`, 'Write a dot-path: customer.name or items[0].sku.')
  }
}

/** Returns the field of the form that an issue belongs to. */
function keyOf(draft: ActionDraft, { path, code }: Found): string {
  const [first = '', step, ...rest] = path
  const field = String(first)
  if (step === undefined) return field
  const { headers, parameters, responseMapping } = filledRows(draft)
  const isKey = code === 'invalid_key'
  const inRow = (row: { readonly id: number } | undefined, part: string) =>
    row === undefined ? field : `${field}.${row.id}.${part}`
  // If a key is there twice, the later row is the superfluous one.
  if (field === 'headers')
    return inRow(
      headers.findLast(({ name }) => name === step),
      isKey ? 'name' : 'value',
    )
  if (field === 'responseMapping')
    return inRow(
      responseMapping.findLast(({ alias }) => alias === step),
      isKey ? 'alias' : 'path',
    )
  const part = parameterFields.find(one => one === rest[0]) ?? 'name'
  return inRow(field === 'parameters' ? parameters[Number(step)] : undefined, part)
}

/** Splits the path of an issue. A header name or an alias may contain dots, so those are split at the first dot only. */
function stepsOf(path: string): string[] {
  const [, record, name] = /^(headers|responseMapping)\.(.*)$/s.exec(path) ?? []
  return record === undefined || name === undefined ? path.split('.') : [record, name]
}
