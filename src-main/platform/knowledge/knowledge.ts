import { newId, type RandomBytes } from '#main/connections/identifiers.ts'
import { findWorkspace } from '#main/connections/workspaces.ts'
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

/** Milliseconds of CPU time that reading one file may take. */
export const readCpuLimitMs = 30_000
/** Memory limit for one file, in MiB: for the heap, and separately for buffers. */
export const readMemoryLimitMb = 512

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
  limits: { cpuLimitMs?: number; memoryLimitMb?: number; bufferLimitMb?: number } = {},
): JobRunner<ReadJob, KnowledgeFacts> {
  return createJobRunner({
    entry: workerUrl('file-reader-worker', import.meta.url),
    name: 'files',
    cpuLimitMs: readCpuLimitMs,
    memoryLimitMb: readMemoryLimitMb,
    bufferLimitMb: readMemoryLimitMb,
    maxWaiting: 50,
    idleMs: 30_000,
    ...limits,
  })
}

export function createKnowledge(parts: KnowledgeParts) {
  const { files, store, clock, random, onError, reader = createFileReader() } = parts
  function keepOnlyKnown(): void {
    files.keepOnly([...store.snapshot().workspaces.keys()]).catch(onError)
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
      return added
    } finally {
      await staged.discard()
    }
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
    /** Publishes when files were added, read again or deleted. */
    changes: files.changes,
    get,
    /**
     * Stores a file, reads it and adds it. Returns the existing file if the agent already has it.
     *
     * @throws ServiceError the codes of `refusedFile`.
     */
    async add(file: NewFile, source: AsyncIterable<Uint8Array>, signal?: AbortSignal) {
      findWorkspace(store.snapshot(), file.workspaceId)
      let bytes = 0
      async function* bounded() {
        for await (const piece of source) {
          bytes += piece.length
          if (bytes > maxKnowledgeFileBytes) throw new ServiceError('file_too_large')
          yield piece
        }
      }
      const staged = await files.receive(bounded(), signal)
      return addStaged(file, staged, bytes, signal)
    },
    /**
     * Returns the id of a new upload.
     *
     * @throws ServiceError `workspace_not_found`, `file_too_large`, `knowledge_busy`.
     */
    async startUpload({ workspaceId, agentId, name }: AgentScope & { readonly name: string }, size: number) {
      findWorkspace(store.snapshot(), workspaceId)
      if (size > maxKnowledgeFileBytes) throw new ServiceError('file_too_large')
      const uploadId = newId('upl', random)
      const isStarted = await files.startUpload({ uploadId, workspaceId, agentId, name, size })
      if (!isStarted) throw new ServiceError('knowledge_busy')
      return uploadId
    },
    /**
     * Returns the bytes that have arrived.
     *
     * @throws ServiceError `upload_not_found`, `invalid_input`, `file_too_large`.
     */
    async addPart(uploadId: string, offset: number, part: Buffer) {
      const { bytes, refused } = found(await files.addPiece(uploadId, offset, part))
      if (refused === 'busy')
        throw new ServiceError('invalid_input', {
          detail: 'Wait for the response to each part before you send the next one.',
        })
      if (refused === 'misplaced') {
        const message = `${bytes} bytes have arrived, so the next part starts there.`
        throw new ServiceError('invalid_input', {
          detail: message,
          data: { issues: [{ path: 'offset', message }] },
        })
      }
      if (refused === 'too_large')
        throw new ServiceError('file_too_large', { detail: 'The file is larger than its upload announced.' })
      return bytes
    },
    async finishUpload(uploadId: string, signal?: AbortSignal) {
      const { staged, bytes, size, ...file } = found(await files.finishUpload(uploadId))
      if (staged === null) {
        const message = `${bytes} of ${size} bytes have arrived. Send the rest first.`
        throw new ServiceError('invalid_input', { detail: message })
      }
      return addStaged(file, staged, bytes, signal)
    },
    /** @throws ServiceError `upload_not_found`. */
    async cancelUpload(uploadId: string) {
      found((await files.cancelUpload(uploadId)) || null)
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
    },
    /** Deletes all files of an agent. Returns how many there were. */
    removeAgent: (scope: AgentScope) => files.removeAgent(scope),
    async stop() {
      isStopped = true
      stopWatching()
      await reader.stop()
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

/** @throws ServiceError `upload_not_found`. */
function found<Upload>(upload: Upload | null): Upload {
  if (upload === null) throw new ServiceError('upload_not_found')
  return upload
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
