import { findConnection } from '#main/connections/connections.ts'
import type { RandomBytes } from '#main/connections/identifiers.ts'
import {
  createJobRunner,
  JobFailure,
  type JobFailureReason,
  type JobRunner,
} from '#main/lib/jobs/job-runner.ts'
import { workerUrl } from '#main/lib/jobs/worker-url.ts'
import type { Config } from '#main/storage/config.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import { type ErrorCode, ServiceError } from '#shared/errors.ts'
import type { EnvironmentVariable } from '#shared/model/environment.ts'
import type {
  ImportFormat,
  ImportIssue,
  ImportPreview,
  ImportResult,
  ImportSelection,
} from '#shared/model/import-preview.ts'
import { applyPlan } from './apply.ts'
import type { ImportJob, PlannedImport } from './import-job.ts'
import type { ImportTarget } from './plan.ts'
import { isSamePlanConfig, planConfigOf } from './plan-connection.ts'

/** Milliseconds that reading and planning one import may take. */
export const importTimeLimitMs = 20_000
/** MiB of heap for it; 10,000 actions in 10 MiB of JSON need less than 128. */
export const importMemoryLimitMb = 128

export type ImportRequest = {
  readonly text: string
  readonly format: ImportFormat
  readonly connectionId: string | null
  readonly workspaceId: string | null
  readonly only?: ImportSelection | null
  readonly useBaseUrl?: boolean
}

export type Importer = {
  /**
   * Returns what an import would do; nothing is written.
   *
   * @param signal ends the work when its caller goes away.
   * @throws ServiceError `connection_not_found`, `workspace_not_found`, `import_too_complex`,
   *   `import_timed_out`, `imports_busy`.
   */
  preview(request: ImportRequest, signal?: AbortSignal): Promise<ImportPreview>
  /**
   * Imports a document in one update of the configuration, or not at all.
   *
   * @throws ServiceError as `preview`, and `invalid_document` with all issues, `storage_unavailable`.
   */
  apply(request: ImportRequest, signal?: AbortSignal): Promise<ImportResult>
  stop(): Promise<void>
}

export type ImporterParts = {
  readonly store: ConfigStore
  readonly sourcesOf: (name: string) => EnvironmentVariable['sources']
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly random: RandomBytes
  /** Reads and plans; by default a worker thread of its own. */
  readonly planner?: JobRunner<ImportJob, string>
}

/** Starts the worker thread that reads and plans imports, with the first of them. */
export function createImportPlanner(limits: { timeLimitMs?: number; memoryLimitMb?: number } = {}) {
  return createJobRunner<ImportJob, string>({
    entry: workerUrl('import-worker', import.meta.url),
    name: 'imports',
    timeLimitMs: limits.timeLimitMs ?? importTimeLimitMs,
    memoryLimitMb: limits.memoryLimitMb ?? importMemoryLimitMb,
    // Each holds its text of up to 10 MiB.
    maxWaiting: 4,
    idleMs: 30_000,
  })
}

/** How often an import is planned again because the configuration changed meanwhile. */
const maxPlans = 5

/**
 * Previews and applies imports. A worker thread reads and plans them, since a document can be made to keep
 * its reader busy; the main thread only carries out the plan.
 */
export function createImporter(parts: ImporterParts): Importer {
  const { store, sourcesOf, clock, random, planner = createImportPlanner() } = parts

  async function plan(
    kind: ImportJob['kind'],
    config: Config,
    request: ImportRequest,
    signal: AbortSignal | undefined,
  ): Promise<string> {
    const { text, format, connectionId } = request
    const baseUrl = connectionId === null ? null : findConnection(config, connectionId).baseUrl
    const target = targetOf(request)
    const job = { kind, text, format, target, baseUrl, config: planConfigOf(config, target) }
    try {
      return await planner.run(job, signal)
    } catch (error) {
      if (error instanceof JobFailure) throw new ServiceError(codeOf[error.reason], { cause: error })
      throw error
    }
  }

  /** A variable that has been set needs no reminder. */
  const isOpen = ({ variable }: ImportIssue) => variable === undefined || sourcesOf(variable).length === 0

  return {
    async preview(request, signal) {
      const preview: ImportPreview = JSON.parse(await plan('preview', store.snapshot(), request, signal))
      const { environmentVariables, ...details } = preview.details
      const sourced = environmentVariables.map(one => ({ ...one, sources: sourcesOf(one.name) }))
      const issues = preview.issues.filter(isOpen)
      return { ...preview, issues, details: { ...details, environmentVariables: sourced } }
    },
    async apply(request, signal) {
      const target = targetOf(request)
      for (let plans = 0; plans < maxPlans; plans++) {
        const planned = store.snapshot()
        const { plan: found, issues }: PlannedImport = JSON.parse(
          await plan('plan', planned, request, signal),
        )
        if (found === null) throw new ServiceError('invalid_document', { data: { issues: [...issues] } })
        const result = await store.update(config => {
          if (!isSamePlanConfig(planned, config, target)) return { next: config, result: null }
          return applyPlan(config, found, new Date(clock()).toISOString(), random)
        })
        if (result !== null) return { ...result, warnings: issues.filter(isOpen) }
      }
      throw new ServiceError('imports_busy', {
        detail: 'The connections kept changing during the import; try again.',
      })
    },
    stop: () => planner.stop(),
  }
}

function targetOf({
  connectionId,
  workspaceId,
  only = null,
  useBaseUrl = false,
}: ImportRequest): ImportTarget {
  return { connectionId, workspaceId, only, useBaseUrl }
}

const codeOf: Readonly<Record<JobFailureReason, ErrorCode>> = {
  busy: 'imports_busy',
  timed_out: 'import_timed_out',
  out_of_memory: 'import_too_complex',
  // Nobody reads the answer.
  aborted: 'imports_busy',
  stopped: 'storage_unavailable',
  died: 'internal_error',
}
