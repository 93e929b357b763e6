import type { RandomBytes } from '#main/connections/identifiers.ts'
import type { Config } from '#main/storage/config.ts'
import type { ConfigChange } from '#main/storage/config-store.ts'
import { ServiceError } from '#shared/errors.ts'
import type { ImportPreview, ImportResult } from '#shared/model/import-preview.ts'
import { applyPlan } from './apply.ts'
import { describeEntries } from './describe-entries.ts'
import type { Parsed } from './parse.ts'
import { place } from './place.ts'
import { type ImportTarget, type PlanConfig, planImport } from './plan.ts'
import { hasErrors } from './problem.ts'

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
      name: connection.name,
      baseUrl: connection.baseUrl,
      persistEvents: connection.persistEvents,
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
