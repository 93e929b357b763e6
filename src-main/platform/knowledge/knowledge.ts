import { createWriteStream } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { newId, type RandomBytes } from '#main/connections/identifiers.ts'
import { findWorkspace } from '#main/connections/workspaces.ts'
import { createBus } from '#main/lib/bus.ts'
import {
  createJobRunner,
  JobFailure,
  type JobFailureReason,
  type JobRunner,
} from '#main/lib/jobs/job-runner.ts'
import { workerUrl } from '#main/lib/jobs/worker-url.ts'
import { hasRemovedWorkspace } from '#main/storage/config-diff.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type {
  AgentScope,
  KnowledgeSearch,
  KnowledgeStore,
  StagedFile,
  StoredPassage,
  TextRange,
} from '#main/storage/knowledge.ts'
import { unavailable } from '#main/storage/unavailable.ts'
import { type ErrorCode, ServiceError } from '#shared/errors.ts'
import {
  type KnowledgeChoice,
  type KnowledgeFacts,
  type KnowledgeFile,
  type KnowledgeKind,
  type KnowledgePassage,
  type KnowledgePlace,
  maxKnowledgeFileBytes,
  noChoice,
} from '#shared/model/platform/knowledge.ts'
import type { ReadJob } from './read-file.ts'

/** Milliseconds that reading one file may take. */
export const readTimeLimitMs = 30_000
/** Memory limit for one file, in MiB: for the heap, and separately for buffers. */
export const readMemoryLimitMb = 512
const maxUploads = 20
/** Milliseconds after its last part for which an upload is kept. */
const uploadMs = 10 * 60_000

/** A new choice; what is left out stays as it was. */
export type NewChoice = { readonly [K in keyof KnowledgeChoice]?: KnowledgeChoice[K] | undefined }
export type NewFile = AgentScope & { readonly name: string; readonly chosen?: NewChoice }

/** The files that agents answer from. */
export type Knowledge = ReturnType<typeof createKnowledge>

export type KnowledgeParts = {
  readonly files: KnowledgeStore
  readonly store: Pick<ConfigStore, 'snapshot' | 'onChange'>
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly random: RandomBytes
  readonly onError: (error: unknown) => void
  /** Reads files; by default in a worker thread. */
  readonly reader?: JobRunner<ReadJob, KnowledgeFacts>
}

/** Creates the worker thread that reads files. The first file starts it. */
export function createFileReader(
  limits: { timeLimitMs?: number; memoryLimitMb?: number; bufferLimitMb?: number } = {},
): JobRunner<ReadJob, KnowledgeFacts> {
  return createJobRunner({
    entry: workerUrl('file-reader-worker', import.meta.url),
    name: 'files',
    timeLimitMs: readTimeLimitMs,
    memoryLimitMb: readMemoryLimitMb,
    bufferLimitMb: readMemoryLimitMb,
    maxWaiting: 50,
    idleMs: 30_000,
    ...limits,
  })
}

type Upload = NewFile & {
  readonly staged: StagedFile
  readonly size: number
  bytes: number
  usedAt: number
  /** The part that is being written; null if none is. */
  writing: Promise<void> | null
}

export function createKnowledge(parts: KnowledgeParts) {
  const { files, store, clock, random, onError, reader = createFileReader() } = parts
  /** Publishes when files were added or deleted. */
  const changes = createBus<void>(onError)
  const uploads = new Map<string, Upload>()
  let starting = 0

  function keepOnlyKnown(): void {
    files.keepOnly([...store.snapshot().workspaces.keys()]).then(() => changes.publish(), onError)
  }
  let isStopped = false
  // Also at the start: a workspace may have been deleted in the moment before a kill, or during a backup.
  keepOnlyKnown()
  const stopWatching = store.onChange((_next, _previous, diff) => {
    if (hasRemovedWorkspace(diff)) keepOnlyKnown()
  })

  function read(
    staged: StagedFile,
    name: string,
    { encoding, separator }: KnowledgeChoice,
    signal?: AbortSignal,
  ): Promise<KnowledgeFacts> {
    const reading = { encoding: encoding ?? undefined, separator: separator ?? undefined }
    return reader
      .run({ path: staged.path, textPath: staged.textPath, name, ...reading }, signal)
      .catch(throwCode)
  }

  /** Reads a stored file again. @throws ServiceError `knowledge_file_not_found`, and the codes of a file that is added. */
  async function readAgain(file: KnowledgeFile, chosen: KnowledgeChoice, signal?: AbortSignal) {
    const staged = await files.restage(file.fileId)
    if (staged === null) throw new ServiceError('knowledge_file_not_found')
    try {
      const facts = await read(staged, file.name, chosen, signal)
      const again = { ...file, ...facts, chosen }
      if (!(await files.reread(again, staged))) throw new ServiceError('knowledge_file_not_found')
      changes.publish()
      return again
    } finally {
      await staged.discard()
    }
  }

  /** Reads the files again that an earlier version of the program has read. Those that cannot be read keep their text. */
  async function readEarlierFiles(): Promise<void> {
    for (const fileId of await files.readEarlier()) {
      const file = await files.get(fileId)
      if (file === null || isStopped) continue
      await readAgain(file, file.chosen).catch(async error => {
        if (!isStopped && error instanceof ServiceError && error.code !== 'knowledge_busy')
          await files.reread(file, null)
      })
    }
  }

  /** Reads a staged file and adds it; the staged file is discarded. */
  async function addStaged(
    file: NewFile,
    staged: StagedFile,
    bytes: number,
    signal: AbortSignal | undefined,
  ) {
    try {
      const { workspaceId, agentId, name } = file
      const chosen = choose(file.chosen)
      const facts = await read(staged, name, chosen, signal)
      findWorkspace(store.snapshot(), workspaceId)
      const fileId = newId('file', random)
      const addedAt = new Date(clock()).toISOString()
      const one = { fileId, workspaceId, agentId, name, bytes, ...facts, chosen, addedAt }
      const added = await files.add(one, staged)
      if (added === null) throw new ServiceError('knowledge_full')
      const isChosen = chosen.encoding !== null || chosen.separator !== null
      if (added.fileId !== fileId && isChosen) return readAgain(added, choose(chosen, added.chosen), signal)
      changes.publish()
      return added
    } finally {
      await staged.discard()
    }
  }

  /** @throws ServiceError `upload_not_found`. */
  function find(uploadId: string): Upload {
    const upload = uploads.get(uploadId)
    if (upload === undefined) throw new ServiceError('upload_not_found')
    return upload
  }

  async function discard(uploadId: string): Promise<void> {
    const upload = uploads.get(uploadId)
    uploads.delete(uploadId)
    // A write that has begun could create the file again.
    await upload?.writing?.catch(() => {})
    await upload?.staged.discard()
  }

  /** @throws ServiceError `knowledge_file_not_found`. */
  async function get(fileId: string): Promise<KnowledgeFile> {
    const file = await files.get(fileId)
    if (file === null) throw new ServiceError('knowledge_file_not_found')
    return file
  }

  readEarlierFiles().catch(onError)
  files.onRepaired(() => void readEarlierFiles().catch(onError))

  return {
    changes,
    get,
    /**
     * Stores a file, reads it and adds it. Returns the existing file if the agent already has it.
     *
     * @throws ServiceError the codes of `refusedFile`.
     */
    async add(file: NewFile, source: AsyncIterable<Uint8Array>, signal?: AbortSignal) {
      findWorkspace(store.snapshot(), file.workspaceId)
      const staged = await files.stage()
      let bytes = 0
      async function* bounded() {
        for await (const piece of source) {
          bytes += piece.length
          if (bytes > maxKnowledgeFileBytes) throw new ServiceError('file_too_large')
          yield piece
        }
      }
      try {
        await pipeline(bounded, createWriteStream(staged.path, { flags: 'wx', mode: 0o600 }), { signal })
      } catch (error) {
        await staged.discard()
        if (error instanceof ServiceError) throw error
        throwUnavailable(error)
      }
      return addStaged(file, staged, bytes, signal)
    },
    /**
     * Returns the id of a new upload.
     *
     * @throws ServiceError `workspace_not_found`, `file_too_large`, `knowledge_busy`.
     */
    async startUpload(file: NewFile, size: number) {
      findWorkspace(store.snapshot(), file.workspaceId)
      if (size > maxKnowledgeFileBytes) throw new ServiceError('file_too_large')
      for (const [uploadId, { usedAt }] of uploads) if (usedAt <= clock() - uploadMs) await discard(uploadId)
      if (uploads.size + starting >= maxUploads) throw new ServiceError('knowledge_busy')
      starting++
      try {
        const staged = await files.stage()
        await appendFile(staged.path, '', { mode: 0o600 }).catch(throwUnavailable)
        const uploadId = newId('upl', random)
        uploads.set(uploadId, { ...file, staged, size, bytes: 0, usedAt: clock(), writing: null })
        return uploadId
      } finally {
        starting--
      }
    },
    /**
     * Returns the bytes that have arrived.
     *
     * @throws ServiceError `upload_not_found`, `invalid_input`, `file_too_large`.
     */
    async addPart(uploadId: string, offset: number, part: Buffer) {
      const upload = find(uploadId)
      if (upload.writing !== null)
        throw new ServiceError('invalid_input', {
          detail: 'Wait for the response to each part before you send the next one.',
        })
      if (offset !== upload.bytes) {
        const message = `${upload.bytes} bytes have arrived, so the next part starts there.`
        throw new ServiceError('invalid_input', {
          detail: message,
          data: { issues: [{ path: 'offset', message }] },
        })
      }
      if (offset + part.length > upload.size)
        throw new ServiceError('file_too_large', { detail: 'The file is larger than its upload announced.' })
      upload.usedAt = clock()
      upload.writing = appendFile(upload.staged.path, part)
      try {
        await upload.writing
      } catch (error) {
        await discard(uploadId)
        return throwUnavailable(error)
      }
      find(uploadId)
      upload.writing = null
      upload.bytes += part.length
      return upload.bytes
    },
    async finishUpload(uploadId: string, signal?: AbortSignal) {
      const upload = find(uploadId)
      if (upload.bytes !== upload.size) {
        const message = `${upload.bytes} of ${upload.size} bytes have arrived. Send the rest first.`
        throw new ServiceError('invalid_input', { detail: message })
      }
      uploads.delete(uploadId)
      return addStaged(upload, upload.staged, upload.bytes, signal)
    },
    /** @throws ServiceError `upload_not_found`. */
    async cancelUpload(uploadId: string) {
      find(uploadId)
      await discard(uploadId)
    },
    /** Reads a stored file again, with another encoding or separator. What is left out stays as it was chosen. */
    async read(fileId: string, chosen: NewChoice, signal?: AbortSignal) {
      const file = await get(fileId)
      return readAgain(file, choose(chosen, file.chosen), signal)
    },
    async list(scope: AgentScope) {
      findWorkspace(store.snapshot(), scope.workspaceId)
      return files.list(scope)
    },
    /** Returns the agents that have files; none if the storage fails, because shapes can be used without it. */
    agents: () =>
      files.agents().catch(error => {
        onError(error)
        return []
      }),
    async text(fileId: string, range: TextRange) {
      const { kind } = await get(fileId)
      const { passages, ...rest } = await files.text(fileId, range)
      return { passages: passages.map(passage => toPassage(passage, kind)), ...rest }
    },
    async search(search: KnowledgeSearch) {
      findWorkspace(store.snapshot(), search.workspaceId)
      const found = await files.search(search)
      return found.map(({ file: { fileId, name, kind }, snippet, ...passage }) => ({
        ...{ fileId, name, snippet },
        ...toPassage(passage, kind),
      }))
    },
    /** @throws ServiceError `knowledge_file_not_found`. */
    async remove(fileId: string) {
      if (!(await files.remove(fileId))) throw new ServiceError('knowledge_file_not_found')
      changes.publish()
    },
    /** Deletes all files of an agent. Returns how many there were. */
    async removeAgent(scope: AgentScope) {
      const removed = await files.removeAgent(scope)
      if (removed > 0) changes.publish()
      return removed
    },
    async stop() {
      isStopped = true
      stopWatching()
      await reader.stop()
      for (const uploadId of uploads.keys()) await discard(uploadId)
    },
  }
}

function choose({ encoding, separator }: NewChoice = {}, before = noChoice): KnowledgeChoice {
  return {
    encoding: encoding === undefined ? before.encoding : encoding,
    separator: separator === undefined ? before.separator : separator,
  }
}

const units = { pdf: 'page', docx: 'paragraph', txt: 'line', csv: 'row' } as const satisfies Record<
  KnowledgeKind,
  KnowledgePlace['unit']
>

function toPassage({ index, text, first, last }: StoredPassage, kind: KnowledgeKind): KnowledgePassage {
  return { index, place: { unit: units[kind], first, last }, text }
}

function throwUnavailable(error: unknown): never {
  throw unavailable('The file could not be received', error)
}

function throwCode(error: unknown): never {
  if (error instanceof JobFailure) throw new ServiceError(codeOf[error.reason], { cause: error })
  throw error
}

const codeOf: Readonly<Record<JobFailureReason, ErrorCode>> = {
  busy: 'knowledge_busy',
  timed_out: 'file_too_complex',
  out_of_memory: 'file_too_complex',
  // The caller has disconnected, so nobody reads this.
  aborted: 'knowledge_busy',
  stopped: 'storage_unavailable',
  died: 'internal_error',
}
