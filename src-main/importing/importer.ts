import { findConnection } from '#main/connections/connections.ts'
import type { RandomBytes } from '#main/connections/identifiers.ts'
import { createJobRunner, JobFailure, type JobRunner } from '#main/lib/jobs/job-runner.ts'
import { workerUrl } from '#main/lib/jobs/worker-url.ts'
import type { DocumentFetcher } from '#main/outbound/fetch-document.ts'
import type { Config } from '#main/storage/config.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type { ImportRequest } from '#shared/contract/imports.ts'
import { ServiceError } from '#shared/errors.ts'
import { applyPlans } from './apply.ts'
import type { DocumentText } from './document-text.ts'
import { failureCodes } from './failure-codes.ts'
import type { ImportJob, PlannedImport, SetVariables } from './import-job.ts'
import type { ImportTarget } from './plan-connection.ts'
import { isSamePlanConfig, planConfigOf } from './plan-connection.ts'
import { addressOf } from './reimport/address.ts'
import type { Origin } from './reimport/items.ts'
import { createReimport } from './reimport/reimport.ts'

/** Milliseconds of CPU time that reading and planning one import may take. */
export const importCpuLimitMs = 20_000
/** MiB of heap for it; 10,000 actions in 16 MiB of JSON need less than 128. */
export const importMemoryLimitMb = 128

export type Importer = ReturnType<typeof createImporter>

/** A request for an import, whose text may come from another thread. */
export type NewImport = Omit<ImportRequest, 'text'> & { readonly text?: DocumentText | null | undefined }

/** Creates the worker thread that reads and plans imports. The first import starts it. */
export function createImportPlanner(limits: { cpuLimitMs?: number; memoryLimitMb?: number } = {}) {
  return createJobRunner<ImportJob, Uint8Array>({
    entry: workerUrl('import-worker', import.meta.url),
    name: 'imports',
    cpuLimitMs: limits.cpuLimitMs ?? importCpuLimitMs,
    memoryLimitMb: limits.memoryLimitMb ?? importMemoryLimitMb,
    // Each holds its text of up to 16 MiB.
    maxWaiting: 4,
    idleMs: 30_000,
  })
}

const decoder = new TextDecoder()

/** How often an import is planned, because the configuration may change during a plan. */
const maxPlans = 5

/**
 * Previews and applies imports. A worker thread reads and plans them, because a malicious document can keep its reader
 * busy. The main thread only applies the plan.
 */
export function createImporter(parts: {
  readonly store: ConfigStore
  /** Returns the variables that are set. */
  readonly variables: () => SetVariables
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly random: RandomBytes
  /** Fetches the documents of imports that name a URL. */
  readonly fetcher: Pick<DocumentFetcher, 'fetch'>
  /** Returns when each action of a connection was called last. By default nothing is known of calls. */
  readonly lastCalls?: Parameters<typeof createReimport>[0]['lastCalls']
  /** Reads and plans imports; by default in a worker thread. */
  readonly planner?: JobRunner<ImportJob, Uint8Array>
}) {
  const { store, variables, clock, random, fetcher, planner = createImportPlanner() } = parts
  const { lastCalls = async () => [] } = parts

  async function run(job: ImportJob, signal: AbortSignal | undefined): Promise<Uint8Array> {
    try {
      return await planner.run(job, signal)
    } catch (error) {
      if (error instanceof JobFailure) throw new ServiceError(failureCodes[error.reason], { cause: error })
      throw error
    }
  }

  function plan(
    kind: 'preview' | 'plan',
    config: Config,
    request: NewImport,
    text: DocumentText,
    signal: AbortSignal | undefined,
  ): Promise<Uint8Array> {
    const { format, placeholders = {}, choose, auth } = request
    const target = targetOf(request)
    const existing = target.connectionId === null ? null : findConnection(config, target.connectionId)
    const baseUrl = existing?.baseUrl ?? null
    return run(
      {
        ...{ kind, text, format, placeholders, choose: choose ?? {}, target, baseUrl },
        documentUrl: request.url ?? null,
        auth,
        config: planConfigOf(config, target),
        variables: variables(),
      },
      signal,
    )
  }

  /** @throws ServiceError `invalid_input`, and those of the fetcher. */
  async function textOf(
    { text, url, header }: NewImport,
    signal: AbortSignal | undefined,
  ): Promise<DocumentText> {
    if (text != null) return text
    if (url != null) return (await fetcher.fetch({ url, header }, signal)).text
    const message = 'Give the text of the document or its URL.'
    throw new ServiceError('invalid_input', { data: { issues: [{ path: 'text', message }] } })
  }

  return {
    /** Fetches a document to import. @throws ServiceError those of the fetcher. */
    fetch: fetcher.fetch,
    /**
     * Returns what an import would do, an `ImportPreview` as JSON in UTF-8, without writing anything.
     *
     * @param signal cancels the work if the caller disconnects.
     * @throws ServiceError `connection_not_found`, `workspace_not_found`, `import_too_complex`,
     *   `import_timed_out`, `imports_busy`, `invalid_input`, and those of the fetcher.
     */
    async preview(request: NewImport, signal?: AbortSignal): Promise<Uint8Array> {
      const text = await textOf(request, signal)
      return plan('preview', store.snapshot(), request, text, signal)
    },
    /**
     * Imports a document in one update of the configuration, or not at all.
     *
     * @throws ServiceError like `preview`; also `invalid_document` with all issues, `storage_unavailable`.
     */
    async apply(request: NewImport, signal?: AbortSignal) {
      const target = targetOf(request)
      const text = await textOf(request, signal)
      for (let plans = 0; plans < maxPlans; plans++) {
        const planned = store.snapshot()
        const { plans: found, issues }: PlannedImport = JSON.parse(
          decoder.decode(await plan('plan', planned, request, text, signal)),
        )
        if (found === null) throw new ServiceError('invalid_document', { data: { issues: [...issues] } })
        const result = await store.update(config => {
          if (!isSamePlanConfig(planned, config, target)) return { next: config, result: null }
          const addressed = found.map(({ plan, origin }) => ({ plan, origin: withAddress(origin, request) }))
          return applyPlans(config, addressed, new Date(clock()).toISOString(), random)
        })
        if (result !== null) return { ...result, warnings: [...issues] }
      }
      throw new ServiceError('imports_busy', {
        detail: 'The connections kept changing during the import. Try again.',
      })
    },
    reimport: createReimport({ store, fetcher, clock, random, run, lastCalls }),
    stop: () => planner.stop(),
  }
}

function withAddress(origin: Origin | null, request: NewImport): Origin | null {
  return origin && { ...origin, source: { ...origin.source, ...addressOf(request) } }
}

function targetOf(request: NewImport): ImportTarget {
  const { connectionId = null, workspaceId = null, only = null, useBaseUrl = false, auth, servers } = request
  return { connectionId, workspaceId, only, useBaseUrl, useAuth: auth != null, servers: servers ?? {} }
}
