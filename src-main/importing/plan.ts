import { sha256Hex } from '#main/lib/sha256-hex.ts'
import { ServiceError } from '#shared/errors.ts'
import type { JsonPath } from '#shared/json/locate.ts'
import type { NewEventType } from '#shared/model/event-type.ts'
import type { ImportSelection } from '#shared/model/import-preview.ts'
import { deriveToolName } from '#shared/model/tool-name.ts'
import {
  type ConnectionPlan,
  findEarlierImport,
  type ImportTarget,
  type PlanConfig,
  type PlanConnection,
  planConnection,
  workspaceOf,
} from './plan-connection.ts'
import {
  actionProblems,
  baseUrlProblems,
  type EnvironmentUse,
  environmentUses,
  signInProblems,
} from './plan-warnings.ts'
import { type Problem, problem, warning } from './problem.ts'
import type { DocumentAction, Entry, ImportContent } from './validate-document.ts'

/** An action of a document with its tool name. */
type NamedAction = DocumentAction & { readonly toolName: string }

/** The changes that an import would make. It can be applied if no problem is an error. */
export type Plan = {
  readonly connection: ConnectionPlan | null
  readonly actions: readonly NamedAction[]
  readonly eventTypes: readonly NewEventType[]
  /** Names that already exist or are repeated. */
  readonly skipped: { readonly actions: readonly string[]; readonly eventTypes: readonly string[] }
  /** All entries of the document in their order, and why each is skipped. */
  readonly entries: {
    readonly actions: readonly SortedEntry<NamedAction>[]
    readonly eventTypes: readonly SortedEntry<NewEventType>[]
  }
  readonly environment: readonly EnvironmentUse[]
  /** The document's base URL, if the existing connection has none. */
  readonly documentBaseUrl: string | null
  readonly problems: readonly Problem[]
}

/**
 * Plans the import of a document. Pure.
 *
 * @throws ServiceError `connection_not_found`, `workspace_not_found`.
 */
export function planImport(config: PlanConfig, whole: ImportContent | null, target: ImportTarget): Plan {
  const given = findTarget(config, target)
  if (whole === null) return emptyPlan
  const { content, namedActions, problems: unknownNames } = select(whole, target.only ?? {})
  const workspaceId = given?.workspaceId ?? workspaceOf(target)
  const isWhole = whole.given === whole.actions.length + whole.events.length
  const earlier =
    given === null && isWhole
      ? findEarlierImport(config, content, namedActions.map(toolNameOf), workspaceId)
      : null
  const existing = given ?? earlier
  const connection = planConnection(
    config,
    content,
    {
      ...{ existing, isEarlierImport: earlier !== null },
      ...{ useBaseUrl: target.useBaseUrl ?? false, useAuth: target.useAuth ?? false },
    },
    workspaceId,
  )
  const actions = sortEntries(
    namedActions,
    existing?.actions.map(({ toolName }) => toolName) ?? [],
    ({ toolName }) => toolName,
  )
  const eventTypes = sortEntries(
    content.events,
    existing?.eventTypes.map(({ eventName }) => eventName) ?? [],
    ({ eventName }) => eventName,
  )
  const newActions = actions.filter(isNew)
  const baseUrl = connection.plan?.baseUrl ?? null
  // The sign-in and the actions that are there begin to send values to this host.
  const isNewHost = existing !== null && existing.baseUrl !== baseUrl
  const sendsAnew = existing !== null && (target.useAuth === true || isNewHost)
  return {
    connection: connection.plan,
    actions: newActions.map(({ fields }) => fields),
    eventTypes: eventTypes.filter(isNew).map(({ fields }) => fields),
    skipped: {
      actions: actions.filter(isSkipped).map(({ fields }) => fields.toolName),
      eventTypes: eventTypes.filter(isSkipped).map(({ fields }) => fields.eventName),
    },
    entries: { actions, eventTypes },
    environment: environmentUses(
      [...newActions.map(({ fields }) => fields), ...(sendsAnew ? existing.actions : [])],
      baseUrl,
      existing === null || sendsAnew ? connection.plan?.auth : undefined,
    ),
    documentBaseUrl: connection.documentBaseUrl,
    problems: [
      ...unknownNames,
      ...connection.problems,
      ...(whole.given === 0 && existing !== null
        ? [warning([], 'The document has no actions and no events.')]
        : []),
      ...baseUrlProblems(connection.plan, newActions),
      ...signInProblems(connection.plan, newActions),
      ...derivedTwice(content.actions, actions.filter(isRepeated)),
      ...newActions.flatMap(({ path, fields }) => actionProblems(fields, path)),
    ],
  }
}

const emptyPlan: Plan = {
  connection: null,
  actions: [],
  eventTypes: [],
  skipped: { actions: [], eventTypes: [] },
  entries: { actions: [], eventTypes: [] },
  environment: [],
  documentBaseUrl: null,
  problems: [],
}

function findTarget(config: PlanConfig, { connectionId, workspaceId }: ImportTarget): PlanConnection | null {
  if (workspaceId !== null && !config.workspaces.has(workspaceId))
    throw new ServiceError('workspace_not_found')
  if (connectionId === null) return null
  const found = config.connections.get(connectionId)
  if (found === undefined) throw new ServiceError('connection_not_found')
  if (workspaceId !== null && found.workspaceId !== workspaceId)
    throw new ServiceError('connection_not_found', {
      detail: 'There is no such connection in this workspace.',
    })
  return found
}

/** Returns the selected part of a document, with the tool names of its actions. A selected name that the document does not have is an error. */
export function select(whole: ImportContent, only: ImportSelection) {
  const named = whole.actions.map(withToolName)
  const tools = only.actions == null ? null : new Set(only.actions)
  const events = only.eventTypes == null ? null : new Set(only.eventTypes)
  const isChosen = named.map(({ fields }) => tools?.has(fields.toolName) ?? true)
  const content = {
    ...whole,
    actions: whole.actions.filter((_action, index) => isChosen[index]),
    events: whole.events.filter(({ fields }) => events?.has(fields.eventName) ?? true),
  }
  const namedActions = named.filter((_action, index) => isChosen[index])
  for (const { fields } of namedActions) tools?.delete(fields.toolName)
  for (const { fields } of content.events) events?.delete(fields.eventName)
  const unknown = (name: string, what: string) =>
    problem([], `"only" contains ${name}, but the document has no such ${what}. Correct or remove the name.`)
  const problems = [
    ...Array.from(tools ?? [], name => unknown(name, 'action')),
    ...Array.from(events ?? [], name => unknown(name, 'event type')),
  ]
  return { content, namedActions, problems }
}

export function withToolName({ path, fields }: Entry<DocumentAction>): Entry<NamedAction> {
  return { path, fields: { ...fields, toolName: fields.toolName ?? deriveToolName(fields.name, sha256Hex) } }
}

const toolNameOf = ({ fields }: Entry<NamedAction>) => fields.toolName

type Sorted = Pick<SortedEntry<unknown>, 'skippedBecause'>
const isNew = ({ skippedBecause }: Sorted) => skippedBecause === null
const isSkipped = (entry: Sorted) => !isNew(entry)
/** Returns whether an entry is skipped because of another entry of the document. */
const isRepeated = ({ skippedBecause }: Sorted) => skippedBecause !== null && skippedBecause !== 'present'

/** Warns about actions whose derived tool name is taken, because their author did not choose the duplicate. */
function derivedTwice(
  given: readonly Entry<DocumentAction>[],
  twice: readonly Entry<NamedAction>[],
): Problem[] {
  const derived = new Set(given.filter(({ fields }) => fields.toolName === undefined).map(({ path }) => path))
  return twice
    .filter(({ path }) => derived.has(path))
    .map(({ path, fields }) =>
      warning(
        [...path, 'name'],
        `Another action of the document already has the tool name derived from this name, ${fields.toolName}. This action is skipped. Give it a toolName.`,
      ),
    )
}

/** An entry of a document, and why it is skipped: its name is in the connection (`present`) or at another path. */
export type SortedEntry<Fields> = Entry<Fields> & { readonly skippedBecause: 'present' | JsonPath | null }

/**
 * Decides which entries are created: the first one of each name that the connection does not have. Duplicates are
 * skipped, never updated.
 *
 * @param present the names in the connection.
 */
function sortEntries<Fields>(
  entries: readonly Entry<Fields>[],
  present: readonly string[],
  nameOf: (fields: Fields) => string,
): SortedEntry<Fields>[] {
  const there = new Set(present)
  const first = new Map<string, JsonPath>()
  return entries.map(entry => {
    const name = nameOf(entry.fields)
    if (there.has(name)) return { ...entry, skippedBecause: 'present' }
    const before = first.get(name)
    if (before === undefined) first.set(name, entry.path)
    return { ...entry, skippedBecause: before ?? null }
  })
}
