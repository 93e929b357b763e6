import { newActionRecord } from '#main/connections/actions.ts'
import { addCases } from '#main/connections/cases.ts'
import { findConnection, requireOwnQuery, withConnection } from '#main/connections/connections.ts'
import { newEventTypeRecord } from '#main/connections/event-types.ts'
import type { RandomBytes } from '#main/connections/identifiers.ts'
import { nextVersion } from '#main/lib/next-version.ts'
import type { DocumentFetcher } from '#main/outbound/fetch-document.ts'
import type { Config, ConnectionRecord, WorkflowRecord } from '#main/storage/config.ts'
import type { ConfigChange, ConfigStore } from '#main/storage/config-store.ts'
import { ServiceError } from '#shared/errors.ts'
import type { ImportSource, ImportUpdate, UpdateChoice } from '#shared/model/import-comparison.ts'
import type { RequestedFormat } from '#shared/model/import-preview.ts'
import type { Constants } from '#shared/model/placeholders.ts'
import { kindOf, walkSteps } from '#shared/workflows/steps/kinds.ts'
import { casesFor } from '../apply.ts'
import type { DocumentText } from '../document-text.ts'
import { signInAgain } from '../sign-in.ts'
import { addressOf, type DocumentAddress, fetchedFrom, nextSource } from './address.ts'
import type { Known } from './items.ts'
import type { PlannedUpdate, ReimportJob } from './reimport-job.ts'
import type { RecordUpdate } from './update.ts'

export type DocumentRequest = DocumentAddress & {
  readonly connectionId: string
  /** By default the document is fetched from its address, or from the one that is kept. */
  readonly text?: DocumentText | null | undefined
  readonly format?: RequestedFormat | undefined
  /** By default those of the last import. */
  readonly placeholders?: Constants | undefined
}

export type UpdateRequest = DocumentRequest &
  UpdateChoice & {
    readonly hash?: string | undefined
    /** Milliseconds since 1970. */
    readonly ifUpdatedAt?: number | null | undefined
  }

/** Updates that can be taken back, over all connections. They are kept in memory only. */
const maxUndone = 10

const decoder = new TextDecoder()

/** How often an update is planned, because the connection may change meanwhile. */
const maxPlans = 5

/** Compares connections with the documents that they come from, and takes what has changed. */
export function createReimport(parts: {
  readonly store: ConfigStore
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly random: RandomBytes
  readonly fetcher: Pick<DocumentFetcher, 'fetch'>
  /** Runs a job in the worker thread. */
  readonly run: (job: ReimportJob, signal: AbortSignal | undefined) => Promise<Uint8Array>
  /** Returns when each action of a connection was called last. */
  readonly lastCalls: (
    connectionId: string,
  ) => Promise<readonly { readonly actionId: string; readonly at: string }[]>
}) {
  const { store, fetcher, clock, random, run, lastCalls } = parts
  /** Newest first. */
  let undoable: readonly { readonly before: ConnectionRecord; readonly updatedAt: string }[] = []

  const find = (connectionId: string) => findConnection(store.snapshot(), connectionId)

  async function documentOf(request: DocumentRequest, signal: AbortSignal | undefined) {
    const record = find(request.connectionId)
    const { source } = record
    const { format, placeholders } = request
    const from = fetchedFrom(request, source)
    if (request.text == null && from === null) throw new ServiceError('no_import_source')
    const text = request.text ?? (from === null ? '' : (await fetcher.fetch(from, signal)).text)
    return {
      text,
      format: format ?? ('auto' as const),
      placeholders: placeholders ?? source?.placeholders ?? {},
      documentUrl: from?.url ?? null,
      signIn: signInAgain(record),
      ...{ server: source?.server ?? null, base: source?.base ?? null },
    }
  }

  return {
    /** Returns the document that a connection was imported from; null for one that no import is known of. */
    source(connectionId: string): ImportSource | null {
      const { source } = find(connectionId)
      if (source === undefined) return null
      const { format, url = null, importedAt, hash } = source
      return { format, url, importedAt, hash }
    },
    /**
     * Returns what importing a document again would change, an `ImportComparison` as JSON in UTF-8.
     *
     * @throws ServiceError `connection_not_found`, `no_import_source`, `invalid_document`, and the errors of `run` and
     *   the fetcher.
     */
    async compare(request: DocumentRequest, signal?: AbortSignal): Promise<Uint8Array> {
      const document = await documentOf(request, signal)
      const record = find(request.connectionId)
      const calls = await lastCalls(record.connectionId)
      const job: ReimportJob = {
        ...{ kind: 'compare', ...document, known: knownOf(record), updatedAt: record.updatedAt },
        calledAt: new Map(calls.map(({ actionId, at }) => [actionId, at])),
        workflows: workflowsByTool(store.snapshot().workflows.values(), record.connectionId),
      }
      return run(job, signal)
    },
    /**
     * Takes some of what a document has changed, in one update of the configuration.
     *
     * @throws ServiceError like `compare`; also `changed_meanwhile`, `invalid_input`, `storage_unavailable`.
     */
    async update(request: UpdateRequest, signal?: AbortSignal): Promise<ImportUpdate> {
      const { connectionId, apply, fields, hash = null, ifUpdatedAt } = request
      const document = await documentOf(request, signal)
      for (let plans = 0; plans < maxPlans; plans++) {
        const planned = find(connectionId)
        requireCompared(planned, ifUpdatedAt)
        const now = new Date(clock()).toISOString()
        const job: ReimportJob = {
          ...{ kind: 'update', ...document, known: knownOf(planned), choice: { apply, fields }, hash, now },
        }
        const update: PlannedUpdate = JSON.parse(decoder.decode(await run(job, signal)))
        const done = await store.update(config =>
          config.connections.get(connectionId) === planned
            ? applyUpdate(
                config,
                planned,
                { ...update, source: { ...update.source, ...addressOf(request) } },
                now,
                random,
              )
            : { next: config, result: null },
        )
        if (done === null) continue
        const { updatedAt } = done
        if (updatedAt !== planned.updatedAt)
          undoable = [{ before: planned, updatedAt }, ...undoable].slice(0, maxUndone)
        return done
      }
      throw new ServiceError('imports_busy', {
        detail: 'The connection kept changing during the import. Try again.',
      })
    },
    /**
     * Takes back the last update of a connection, if nothing has changed since.
     *
     * @throws ServiceError `connection_not_found`, `nothing_to_undo`,
     *   `changed_meanwhile`.
     */
    async undo(connectionId: string): Promise<void> {
      find(connectionId)
      const step = undoable.find(({ before }) => before.connectionId === connectionId)
      if (step === undefined) throw new ServiceError('nothing_to_undo')
      await store.update(config => {
        const present = findConnection(config, connectionId)
        if (present.updatedAt !== step.updatedAt) throw new ServiceError('changed_meanwhile')
        const { actions, eventTypes, source } = step.before
        const now = new Date(clock()).toISOString()
        const record = nextVersion(present, { actions, eventTypes, source }, now)
        requireOwnQuery(record)
        return { next: withConnection(config, record), result: undefined }
      })
      undoable = undoable.filter(one => one !== step)
    },
  }
}

function knownOf({ actions, eventTypes, source }: ConnectionRecord): string {
  const known: Known = { actions, eventTypes, source }
  return JSON.stringify(known)
}

function requireCompared({ updatedAt }: ConnectionRecord, ifUpdatedAt: number | null | undefined): void {
  if (ifUpdatedAt == null || ifUpdatedAt === Date.parse(updatedAt)) return
  throw new ServiceError('changed_meanwhile')
}

/** Returns the names of the workflows that call each tool of a connection. Walks through all workflows once. */
function workflowsByTool(
  workflows: Iterable<WorkflowRecord>,
  connectionId: string,
): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, Set<string>>()
  for (const { name, steps } of workflows)
    for (const { step } of walkSteps(steps))
      for (const used of kindOf(step).uses(step))
        if (used.connectionId === connectionId && used.toolName !== null)
          names.set(used.toolName, (names.get(used.toolName) ?? new Set()).add(name))
  return new Map(Array.from(names, ([toolName, users]) => [toolName, [...users]]))
}

/** Applies the changes to the connection that they were planned for. Pure. @param now ISO 8601. */
function applyUpdate(
  config: Config,
  before: ConnectionRecord,
  { actions, eventTypes, updates, disabled, source }: PlannedUpdate,
  now: string,
  random: RandomBytes,
): ConfigChange<ImportUpdate> {
  const changed: string[] = []
  function updated<Item extends { readonly updatedAt: string }>(item: Item, id: string, name: string): Item {
    const update: RecordUpdate | undefined = Object.hasOwn(updates, id) ? updates[id] : undefined
    if (update === undefined) return item
    const { imported, fields } = update
    if (fields === undefined) return { ...item, imported }
    changed.push(name)
    return nextVersion(item, { ...fields, imported }, now)
  }
  const off = new Set(disabled)
  const added = actions.map(({ imported, ...action }) => ({
    ...newActionRecord(action, now, random),
    imported,
  }))
  const next = {
    actions: [...before.actions.map(action => updated(action, action.actionId, action.toolName)), ...added],
    eventTypes: [
      ...before.eventTypes.map(type => updated(type, type.eventTypeId, type.eventName)),
      ...eventTypes.map(({ imported, ...type }) => ({ ...newEventTypeRecord(type, now, random), imported })),
    ],
  }
  const names = {
    added: [...actions.map(({ toolName }) => toolName), ...eventTypes.map(({ eventName }) => eventName)],
    changed: changed.filter(name => !off.has(name)),
    disabled: [...disabled],
  }
  const { source: last } = before
  const isSame =
    names.added.length === 0 &&
    Object.keys(updates).length === 0 &&
    last?.hash === source.hash &&
    last.seen === source.seen &&
    (source.url ?? last.url) === last.url
  if (isSame) return { next: config, result: { ...names, updatedAt: before.updatedAt } }
  const record = nextVersion(before, { ...next, source: nextSource(last, source, now) }, now)
  requireOwnQuery(record)
  const cases = casesFor(record, added, actions, now, random)
  return {
    next: addCases(withConnection(config, record), cases),
    result: { ...names, updatedAt: record.updatedAt },
  }
}
