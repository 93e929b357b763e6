import type { RandomBytes } from '#main/connections/identifiers.ts'
import type { Config } from '#main/storage/config.ts'
import type { ConfigChange } from '#main/storage/config-store.ts'
import { ServiceError } from '#shared/errors.ts'
import type { JsonPath } from '#shared/json/locate.ts'
import { variablesIn } from '#shared/model/action-headers.ts'
import { PortableConnection } from '#shared/model/connection.ts'
import { variablesOf } from '#shared/model/event-variables.ts'
import { operationName } from '#shared/model/import-operation.ts'
import type {
  ImportDetails,
  ImportPreview,
  ImportResult,
  SkippedBecause,
} from '#shared/model/import-preview.ts'
import { inputsOf } from '#shared/model/parameter.ts'
import { applyPlans } from './apply.ts'
import { argumentOf } from './openapi/parameters.ts'
import type { SourceOperation } from './operation.ts'
import { describeLeftOut, describePlaceholders, operationsOf } from './operations.ts'
import type { Parsed } from './parse.ts'
import { place } from './place.ts'
import type { Plan, SortedEntry } from './plan.ts'
import { describeServers, mergePlans, planAll } from './plan-all.ts'
import type { ImportTarget, PlanConfig } from './plan-connection.ts'
import { hasErrors } from './problem.ts'

/**
 * Returns what an import would do. The caller adds where environment variables are set. Pure.
 *
 * @throws ServiceError `connection_not_found`, `workspace_not_found`, `invalid_input`.
 */
export function previewImport(config: PlanConfig, given: Parsed, target: ImportTarget): ImportPreview {
  const planned = planAll(config, given, target)
  const { parsed, plans } = planned
  const plan = mergePlans(plans)
  const problems = [...parsed.problems, ...plan.problems]
  const { connection, entries, environment, skipped } = plan
  const paths = [...entries.actions, ...entries.eventTypes].map(({ path }) => path)
  const { issues, unsupported, lines } = place(parsed, problems, paths)
  return {
    valid: !hasErrors(problems),
    recognized: parsed.recognized,
    issues,
    unsupported,
    connection: connection && {
      connectionId: connection.connectionId,
      ...PortableConnection.parse(connection),
    },
    actions: { create: plan.actions.map(({ toolName }) => toolName), skip: [...skipped.actions] },
    eventTypes: { create: plan.eventTypes.map(({ eventName }) => eventName), skip: [...skipped.eventTypes] },
    environmentVariables: environment.map(({ name, host }) => ({ name, host })),
    placeholders: describePlaceholders(parsed),
    ...describeLeftOut(parsed),
    auth: [...(parsed.auth ?? [])],
    servers: describeServers(planned),
    details: {
      documentBaseUrl: plan.documentBaseUrl,
      ...describeEntries(
        entries,
        operationsByAction(parsed),
        new Map(plans.length < 2 ? [] : plans.map(({ server }) => [server?.index, server?.url])),
        new Map(paths.map((path, index) => [path, lines[index] ?? 1])),
      ),
      environmentVariables: environment.map(({ name, headers, actions }) => ({
        name,
        headers: [...headers],
        actions,
        sources: [],
      })),
    },
  }
}

/**
 * Plans and applies an import to a configuration, which may have changed since a preview. Pure.
 *
 * @param now ISO 8601.
 * @throws ServiceError `invalid_document` with all issues, `connection_not_found`, `workspace_not_found`,
 *   `invalid_input`.
 */
export function applyImport(
  config: Config,
  given: Parsed,
  target: ImportTarget,
  now: string,
  random: RandomBytes,
): ConfigChange<ImportResult> {
  const { parsed, plans } = planAll(config, given, target)
  const problems = [...parsed.problems, ...mergePlans(plans).problems]
  const { issues } = place(parsed, problems)
  if (hasErrors(problems)) throw new ServiceError('invalid_document', { data: { issues } })
  const { next, result } = applyPlans(
    config,
    plans.map(({ plan }) => ({ plan, origin: null })),
    now,
    random,
  )
  return { next, result: { ...result, warnings: issues } }
}

/**
 * @param operations by the index of their action.
 * @param servers the URLs of several servers by their indices.
 * @param lines the lines of the entries' paths.
 */
function describeEntries(
  { actions, eventTypes }: Plan['entries'],
  operations: ReadonlyMap<unknown, SourceOperation>,
  servers: ReadonlyMap<number | undefined, string | undefined>,
  lines: ReadonlyMap<JsonPath, number>,
): Pick<ImportDetails, 'actions' | 'eventTypes'> {
  const lineOf = (path: JsonPath) => lines.get(path) ?? 1
  const placeOf = ({ path, skippedBecause }: SortedEntry<unknown>) => ({
    line: lineOf(path),
    skippedBecause: reasonOf(skippedBecause, lineOf),
  })
  return {
    actions: actions.map(entry => {
      const { toolName, method, path, isEnabled, headers, parameters } = entry.fields
      const environmentVariables = [...new Set(Object.values(headers ?? {}).flatMap(variablesIn))]
      const {
        name: operation = operationName(method, path),
        tags = [],
        placeholders = [],
        server: index,
      } = operations.get(entry.path.at(-1)) ?? {}
      const server = servers.get(index)
      const isOpen = (name: string) => path.includes(`{${argumentOf(name)}}`)
      return {
        ...{ toolName, operation, tags: [...tags], method, path, isEnabled, environmentVariables },
        parameters: inputsOf(parameters).length,
        placeholders: placeholders.map(name => ({ name, as: isOpen(name) ? 'parameter' : 'constant' })),
        ...(server !== undefined && { server }),
        ...placeOf(entry),
      }
    }),
    eventTypes: eventTypes.map(entry => {
      const { eventName, samplePayload = null } = entry.fields
      return { eventName, variables: variablesOf(samplePayload).length, ...placeOf(entry) }
    }),
  }
}

/** Returns the operations by the index of their action. */
function operationsByAction(parsed: Parsed): ReadonlyMap<unknown, SourceOperation> {
  return new Map(operationsOf(parsed).map(one => [one.action, one]))
}

function reasonOf(
  why: SortedEntry<unknown>['skippedBecause'],
  lineOf: (path: JsonPath) => number,
): SkippedBecause | null {
  if (why === null) return null
  return why === 'present' ? { kind: 'present' } : { kind: 'repeated', line: lineOf(why) }
}
