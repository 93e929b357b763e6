import type { RandomBytes } from '#main/connections/identifiers.ts'
import type { Config } from '#main/storage/config.ts'
import type { ConfigChange } from '#main/storage/config-store.ts'
import { ServiceError } from '#shared/errors.ts'
import { variablesIn } from '#shared/model/action-headers.ts'
import { PortableConnection } from '#shared/model/connection.ts'
import { variablesOf } from '#shared/model/event-variables.ts'
import type {
  ImportDetails,
  ImportFormat,
  ImportIssue,
  ImportPreview,
  ImportResult,
  SkippedBecause,
} from '#shared/model/import-preview.ts'
import { applyPlan } from './apply.ts'
import { parseCurl } from './curl/parse-curl.ts'
import { parseOpenApi } from './openapi/parse-openapi.ts'
import { type Parsed, parseDocument } from './parse.ts'
import { place } from './place.ts'
import { type ImportTarget, type Plan, type PlanConfig, planImport, type SortedEntry } from './plan.ts'
import { hasErrors, type JsonPath } from './problem.ts'

/**
 * Returns what an import of this text into this configuration would do; where environment variables are set
 * is for its caller to fill in. Pure.
 *
 * @throws ServiceError `connection_not_found`, `workspace_not_found`.
 */
export function previewImport(config: PlanConfig, parsed: Parsed, target: ImportTarget): ImportPreview {
  const plan = planImport(config, parsed.content, target)
  const problems = [...parsed.problems, ...plan.problems]
  const { connection, entries, environment, skipped } = plan
  const paths = [...entries.actions, ...entries.eventTypes].map(({ path }) => path)
  const { issues, unsupported, lines } = place(parsed, problems, paths)
  return {
    valid: !hasErrors(problems),
    issues,
    unsupported,
    connection: connection && {
      connectionId: connection.connectionId,
      ...PortableConnection.parse(connection),
    },
    actions: { create: plan.actions.map(({ toolName }) => toolName), skip: [...skipped.actions] },
    eventTypes: { create: plan.eventTypes.map(({ eventName }) => eventName), skip: [...skipped.eventTypes] },
    environmentVariables: environment.map(({ name, host }) => ({ name, host })),
    details: {
      documentBaseUrl: plan.documentBaseUrl,
      ...describeEntries(entries, new Map(paths.map((path, index) => [path, lines[index] ?? 1]))),
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
 * The configuration with this text imported, planned against this very configuration: what was previewed
 * before may have changed since. Pure.
 *
 * @param now ISO 8601.
 * @throws ServiceError `invalid_document` with all issues, `connection_not_found`, `workspace_not_found`.
 */
export function applyImport(
  config: Config,
  parsed: Parsed,
  target: ImportTarget,
  now: string,
  random: RandomBytes,
): ConfigChange<ImportResult> {
  const plan = planImport(config, parsed.content, target)
  const problems = [...parsed.problems, ...plan.problems]
  const { issues } = place(parsed, problems)
  if (hasErrors(problems)) throw new ServiceError('invalid_document', { data: { issues } })
  const { next, result } = applyPlan(config, plan, now, random)
  return { next, result: { ...result, warnings: issues } }
}

/** @param lines of the entries' paths. */
function describeEntries(
  { actions, eventTypes }: Plan['entries'],
  lines: ReadonlyMap<JsonPath, number>,
): Pick<ImportDetails, 'actions' | 'eventTypes'> {
  const lineOf = (path: JsonPath) => lines.get(path) ?? 1
  const placeOf = ({ path, skippedBecause }: SortedEntry<unknown>) => ({
    line: lineOf(path),
    skippedBecause: reasonOf(skippedBecause, lineOf),
  })
  return {
    actions: actions.map(entry => {
      const { toolName, method, path, isEnabled, headers } = entry.fields
      const environmentVariables = [...new Set(Object.values(headers ?? {}).flatMap(variablesIn))]
      return { toolName, method, path, isEnabled, environmentVariables, ...placeOf(entry) }
    }),
    eventTypes: eventTypes.map(entry => {
      const { eventName, samplePayload = null } = entry.fields
      return { eventName, variables: variablesOf(samplePayload).length, ...placeOf(entry) }
    }),
  }
}

function reasonOf(
  why: SortedEntry<unknown>['skippedBecause'],
  lineOf: (path: JsonPath) => number,
): SkippedBecause | null {
  if (why === null) return null
  return why === 'present' ? { kind: 'present' } : { kind: 'repeated', line: lineOf(why) }
}

/** One import to be read and planned in the worker thread. */
export type ImportJob = {
  readonly kind: 'preview' | 'plan'
  readonly text: string
  readonly format: ImportFormat
  readonly target: ImportTarget
  /** Base URL of the target; null for a new connection, or one without. */
  readonly baseUrl: string | null
  /** As much of the configuration as planning looks at. */
  readonly config: PlanConfig
}

/** What an import would do, and what is to be said of its text. */
export type PlannedImport = {
  /** Null where the document has errors. */
  readonly plan: Pick<Plan, 'connection' | 'actions' | 'eventTypes' | 'skipped'> | null
  readonly issues: readonly ImportIssue[]
}

/**
 * Returns the preview or the plan of an import as JSON: the main thread reads that in half the time that a
 * structured clone takes it, and keys such as `__proto__` stay what they are. Pure.
 *
 * @throws ServiceError `connection_not_found`, `workspace_not_found`.
 */
export function runImportJob({ kind, text, format, target, baseUrl, config }: ImportJob): string {
  const parsed = readImport(text, format, baseUrl)
  if (kind === 'preview') return JSON.stringify(previewImport(config, parsed, target))
  const { connection, actions, eventTypes, skipped, problems } = planImport(config, parsed.content, target)
  const all = [...parsed.problems, ...problems]
  const planned: PlannedImport = {
    plan: hasErrors(all) ? null : { connection, actions, eventTypes, skipped },
    issues: place(parsed, all).issues,
  }
  return JSON.stringify(planned)
}

/**
 * Reads the text of an import in any of its formats. Never throws: what is wrong with it are problems. Pure.
 *
 * @param baseUrl of the connection that it goes to; null for a new one, or one without.
 */
export function readImport(text: string, format: ImportFormat, baseUrl: string | null): Parsed {
  switch (format) {
    case 'document':
      return parseDocument(text)
    case 'openapi':
      return parseOpenApi(text)
    case 'curl':
      return parseCurl(text, baseUrl)
  }
}
