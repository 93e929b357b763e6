import { ActionFields } from '#shared/model/action.ts'
import { codeOf, type Issue } from '#shared/model/issue.ts'
import { type ActionDraft, fieldsOf, filledRows } from './action-draft.ts'

/** What is wrong, by field: `path`, or of a row `parameters.3.name`, 3 being the row's id. */
export type DraftIssues = ReadonlyMap<string, string>

type Step = string | number
type Found = Pick<Issue, 'code'> & { readonly path: readonly Step[] }

/**
 * What the model has against a draft, each problem at its field.
 *
 * @param takenBy name of the other action that has a tool name, if one has.
 */
export function draftIssues(
  draft: ActionDraft,
  takenBy: (toolName: string) => string | undefined,
): DraftIssues {
  const issues = new Map<string, string>()
  const add = (key: string, message: string) => {
    if (!issues.has(key)) issues.set(key, message)
  }
  addUnnamed(draft, add)
  const { error } = ActionFields.safeParse(fieldsOf(draft))
  for (const issue of error?.issues ?? []) {
    const path = issue.path.map(step => (typeof step === 'symbol' ? String(step) : step))
    add(keyOf(draft, { path, ...codeOf(issue) }), issue.message)
  }
  const other = takenBy(draft.toolName)
  if (other !== undefined) add('toolName', `${other} has this tool name already.`)
  // It is made when the name is; until then there is nothing to be said of it.
  if (draft.followsName && other === undefined) issues.delete('toolName')
  return issues
}

/** Problems that the service has told of, by field; one of no field is under the empty key. */
export function serverIssues(draft: ActionDraft, issues: readonly Issue[]): DraftIssues {
  return new Map(
    issues.map(({ path, code, message }) => [keyOf(draft, { path: stepsOf(path), code }), message] as const),
  )
}

/** The first issue in the order of the form, for the keyboard to be taken there. */
export function firstIssue(draft: ActionDraft, issues: DraftIssues): string | null {
  const rows = [
    ...draft.headers.flatMap(({ id }) => [`headers.${id}.name`, `headers.${id}.value`]),
    ...draft.parameters.flatMap(({ id }) =>
      ['name', 'type', 'description', 'required'].map(field => `parameters.${id}.${field}`),
    ),
    ...draft.mapping.flatMap(({ id }) => [`mapping.${id}.alias`, `mapping.${id}.path`]),
  ]
  const order = ['name', 'toolName', 'description', 'method', 'path', ...rows, 'headers', 'parameters', '']
  return order.find(key => issues.has(key)) ?? null
}

/** Records cannot hold what has no name, or a name twice; rows can. */
function addUnnamed(draft: ActionDraft, add: (key: string, message: string) => void): void {
  const { headers, mapping } = filledRows(draft)
  const seenHeaders = new Set<string>()
  for (const { id, name } of headers) {
    if (name === '') add(`headers.${id}.name`, 'Give the header a name.')
    else if (seenHeaders.has(name.toLowerCase()))
      add(`headers.${id}.name`, 'A header is given once; upper and lower case are the same.')
    seenHeaders.add(name.toLowerCase())
  }
  const seenAliases = new Set<string>()
  for (const { id, alias, path } of mapping) {
    if (alias === '') add(`mapping.${id}.alias`, 'Give the field an alias.')
    else if (seenAliases.has(alias)) add(`mapping.${id}.alias`, `The alias ${alias} is there already.`)
    if (path === '') add(`mapping.${id}.path`, 'Write a dot-path: customer.name or items[0].sku.')
    seenAliases.add(alias)
  }
}

/** Where an issue of the model stands in the form: its records and arrays have rows there. */
function keyOf(draft: ActionDraft, { path, code }: Found): string {
  const [field = '', step, ...rest] = path
  if (step === undefined) return String(field)
  const { headers, parameters, mapping } = filledRows(draft)
  if (field === 'headers') {
    // Of a name that is there twice the later one is the one too many.
    const row = headers.findLast(({ name }) => name === step)
    const part = code === 'invalid_key' ? 'name' : 'value'
    return row === undefined ? field : `headers.${row.id}.${part}`
  }
  if (field === 'responseMapping') {
    const row = mapping.findLast(({ alias }) => alias === step)
    const part = code === 'invalid_key' ? 'alias' : 'path'
    return row === undefined ? field : `mapping.${row.id}.${part}`
  }
  const row = field === 'parameters' ? parameters[Number(step)] : undefined
  return row === undefined ? String(field) : `parameters.${row.id}.${rest.join('.')}`
}

/** A header's name and an alias may have dots in them, so only the first dot parts their paths. */
function stepsOf(path: string): Step[] {
  const [, record, name] = /^(headers|responseMapping)\.(.*)$/s.exec(path) ?? []
  return record === undefined || name === undefined ? path.split('.') : [record, name]
}
