import { z } from 'zod'
import { definedFields } from '#main/lib/defined-fields.ts'
import { isObject, numberText } from '#shared/json/exact-json.ts'
import type { JsonPath } from '#shared/json/locate.ts'
import { checkAcrossFields, NewAction } from '#shared/model/action.ts'
import { type CaseData, maxCases } from '#shared/model/case.ts'
import { connectionDefaults, DocumentConnection, PortableConnection } from '#shared/model/connection.ts'
import { ConnectionAuthData } from '#shared/model/connection-auth.ts'
import { NewEventType, parseSample } from '#shared/model/event-type.ts'
import { importVersion } from '#shared/model/import-document.ts'
import { Parameter } from '#shared/model/parameter.ts'
import { shapeNames } from '#shared/model/platform/agent.ts'
import { RateLimit } from '#shared/model/rate-limit.ts'
import { movableProblem } from '#shared/model/sender/sender.ts'
import { templateFields } from '#shared/model/sender/sender-template.ts'
import { maxEntries } from './limits.ts'
import { keyProblems, type Problem, ProblemList, problem, warning, zodProblems } from './problem.ts'
import { readCases } from './read-cases.ts'

/** An action of a document, with its cases. */
export type DocumentAction = NewAction & { readonly cases?: readonly CaseData[] }

/** A valid entry of a document, with its path. */
export type Entry<Fields> = { readonly path: JsonPath; readonly fields: Fields }

const Part = PortableConnection.extend({ name: z.string().nullable() })
export type ConnectionPart = Readonly<z.infer<typeof Part>>

/** The valid parts of a document. Its problems decide whether it can be imported. */
export type ImportContent = {
  /** Null if the document has none, as in partial imports; `faulty` if it is invalid. */
  readonly connection: ConnectionPart | 'faulty' | null
  readonly actions: readonly Entry<DocumentAction>[]
  readonly events: readonly Entry<NewEventType>[]
  /** The number of actions and events in the document, valid or not. */
  readonly given: number
}

export type Validated = { readonly content: ImportContent | null; readonly problems: readonly Problem[] }

/** An action in a document, with the rules across fields. */
export const ActionEntry = NewAction.check(checkAcrossFields)
const ConnectionFields = DocumentConnection
const parts = ['connection', 'actions', 'events']
const known = {
  root: new Set(['version', ...parts]),
  connection: new Set(Object.keys(ConnectionFields.shape)),
  sender: new Set(['scheme', ...Object.keys(templateFields)]),
  auth: new Set(Object.keys(ConnectionAuthData.shape)),
  rateLimit: new Set(Object.keys(RateLimit.shape)),
  action: new Set([...Object.keys(NewAction.shape), 'cases']),
  parameter: new Set(Object.keys(Parameter.shape)),
  event: new Set(Object.keys(NewEventType.shape)),
}

/** Credentials, which no document may contain: the service generates them. */
const forbidden = new Set([
  'signingSecret',
  'senderSecret',
  'verifyToken',
  'signing_secret',
  'secret',
  'inboundToken',
  'inbound_token',
  'token',
  'inboundUrl',
  'inboundWebhookUrl',
  'webhookUrl',
])

/**
 * Validates an import document: a full one, `{actions}`, `{events}`, both, or an array of actions. Returns all problems
 * at once.
 */
export function validateDocument(value: unknown): Validated {
  if (Array.isArray(value)) {
    const { good, problems } = entries(value, [], readAction)
    const content = { connection: null, actions: good, events: [], given: value.length }
    return { content, problems }
  }
  if (!isObject(value)) {
    const message = 'An import document must be an object or an array of actions.'
    return { content: null, problems: [problem([], message)] }
  }
  const other = otherDocument(value)
  if (other !== null) return { content: null, problems: [other] }
  const actions = list(value.actions, ['actions'], readAction)
  const events = list(value.events, ['events'], readEvent)
  const connection = readConnection(value.connection)
  return {
    content: {
      connection: connection.part,
      actions: actions.good,
      events: events.good,
      given: countOf(value.actions) + countOf(value.events),
    },
    problems: [
      ...versionProblems(value.version),
      ...keyProblems(value, [], known.root, forbidden),
      ...connection.problems,
      ...actions.problems,
      ...casesProblems(actions.good),
      ...events.problems,
    ],
  }
}

function casesProblems(actions: readonly Entry<DocumentAction>[]): Problem[] {
  const count = actions.reduce((sum, { fields }) => sum + (fields.cases?.length ?? 0), 0)
  if (count <= maxCases.ofConnection) return []
  const message = `A connection has at most ${maxCases.ofConnection} cases, and the actions have ${count}.`
  return [problem(['actions'], message)]
}

/** Returns the number of entries; 1 for a part that is not a list. */
function countOf(part: unknown): number {
  if (part === undefined) return 0
  return Array.isArray(part) ? part.length : 1
}

/** Returns the problem of a document that another import takes; null for any other object. */
function otherDocument(value: object): Problem | null {
  if (parts.some(part => Object.hasOwn(value, part))) return null
  if (Object.hasOwn(value, 'workflow')) {
    const message = 'This is a workflow. Import it on the Workflows page or with POST /workflows/import.'
    return { ...problem(['workflow'], message), atKey: true }
  }
  const shape = shapeNames.find(name => Object.hasOwn(value, name))
  if (shape === undefined) return null
  const message = 'This is an agent. Import it on the Agent page or with the command agent import.'
  return { ...problem([shape], message), atKey: true }
}

function versionProblems(version: unknown): Problem[] {
  if (version === undefined || Number(numberText(version)) === importVersion) return []
  return [problem(['version'], `The version must be ${importVersion}.`)]
}

function readConnection(value: unknown): { part: ImportContent['connection']; problems: Problem[] } {
  if (value === undefined) return { part: null, problems: [] }
  const path = ['connection']
  if (!isObject(value)) return { part: 'faulty', problems: [problem(path, 'This must be an object.')] }
  const problems = keyProblems(value, path, known.connection, forbidden)
  if (isObject(value.sender))
    problems.push(...keyProblems(value.sender, [...path, 'sender'], known.sender, forbidden))
  if (isObject(value.auth))
    problems.push(...keyProblems(value.auth, [...path, 'auth'], known.auth, forbidden))
  if (isObject(value.rateLimit))
    problems.push(...keyProblems(value.rateLimit, [...path, 'rateLimit'], known.rateLimit, forbidden))
  // Whether a name is required depends on the target of the import.
  const { name, ...rest } = value
  const parsed = ConnectionFields.partial({ name: true }).safeParse(name === undefined ? rest : value)
  if (!parsed.success) return { part: 'faulty', problems: [...problems, ...zodProblems(parsed.error, path)] }
  const { sender } = parsed.data
  const movable = sender === undefined ? null : movableProblem(sender)
  if (movable !== null) {
    const found = problem([...path, 'sender', 'signed'], movable)
    return { part: 'faulty', problems: [...problems, found] }
  }
  const { auth, rateLimit, ...fields } = parsed.data
  const given = { ...(auth != null && { auth }), ...(rateLimit != null && { rateLimit }) }
  const part = Part.parse({ ...connectionDefaults, name: null, ...definedFields(fields), ...given })
  return { part, problems }
}

type Reader<Fields> = (
  value: Record<string, unknown>,
  path: JsonPath,
) => { fields: Fields | null; problems: Problem[] }
type Entries<Fields> = { good: Entry<Fields>[]; problems: Problem[] }

function list<Fields>(value: unknown, path: JsonPath, read: Reader<Fields>): Entries<Fields> {
  if (value === undefined) return { good: [], problems: [] }
  if (!Array.isArray(value)) return { good: [], problems: [problem(path, 'This must be an array.')] }
  return entries(value, path, read)
}

function entries<Fields>(values: readonly unknown[], path: JsonPath, read: Reader<Fields>): Entries<Fields> {
  if (values.length > maxEntries) {
    const message = `The array has ${values.length} entries, but at most ${maxEntries} can be imported at once. Split it.`
    return { good: [], problems: [problem(path, message)] }
  }
  const good: Entry<Fields>[] = []
  const problems = new ProblemList()
  values.forEach((value, index) => {
    const at = [...path, index]
    if (!isObject(value)) {
      problems.addOne('error', () => problem(at, 'This must be an object.'))
      return
    }
    const one = read(value, at)
    problems.add(one.problems)
    if (one.fields !== null) good.push({ path: at, fields: one.fields })
  })
  return { good, problems: problems.all() }
}

function readAction(
  value: Record<string, unknown>,
  path: JsonPath,
): { fields: DocumentAction | null; problems: Problem[] } {
  const list = new ProblemList()
  list.add(keyProblems(value, path, known.action))
  const { parameters } = value
  if (Array.isArray(parameters))
    parameters.forEach((parameter: unknown, index) => {
      if (isObject(parameter))
        list.add(keyProblems(parameter, [...path, 'parameters', index], known.parameter))
    })
  for (const name of ['headers', 'responseMapping'])
    if (isObject(value[name]) && Object.hasOwn(value[name], '__proto__'))
      list.add([{ ...warning([...path, name, '__proto__'], 'The key "__proto__" is ignored.'), atKey: true }])
  const parsed = ActionEntry.safeParse(value)
  if (!parsed.success) list.add(zodProblems(parsed.error, path))
  if (value.cases === undefined) return { fields: parsed.data ?? null, problems: list.all() }
  const { cases, problems } = readCases(value.cases, [...path, 'cases'], parsed.data?.parameters ?? null)
  list.add(problems)
  return { fields: parsed.data === undefined ? null : { ...parsed.data, cases }, problems: list.all() }
}

function readEvent(value: Record<string, unknown>, path: JsonPath) {
  const list = new ProblemList()
  list.add(keyProblems(value, path, known.event))
  // Keeps the parsed object of the sample, because a copy would lose a key such as `__proto__`.
  const { samplePayload = null, ...rest } = value
  const parsed = NewEventType.safeParse(rest)
  if (!parsed.success) list.add(zodProblems(parsed.error, path))
  const isSample = samplePayload === null || isJsonObject(samplePayload)
  if (!isSample) list.add([problem([...path, 'samplePayload'], 'This must be an object of fields, or null.')])
  const fields: NewEventType | null =
    parsed.success && isSample ? { ...parsed.data, ...sampleOf(samplePayload) } : null
  return { fields, problems: list.all() }
}

/** Returns the sample, and its text if JavaScript cannot represent its numbers. */
function sampleOf(
  payload: NewEventType['samplePayload'],
): Pick<NewEventType, 'samplePayload' | 'sampleText'> {
  if (payload === undefined || payload === null) return { samplePayload: null }
  const sampleText = JSON.stringify(payload)
  const samplePayload = parseSample(sampleText)
  return sampleText === JSON.stringify(samplePayload)
    ? { samplePayload: payload }
    : { samplePayload, sampleText }
}

/** Objects from JSON.parse contain only JSON. */
function isJsonObject(value: unknown): value is Record<string, z.infer<ReturnType<typeof z.json>>> {
  return isObject(value)
}
