import { existsSync } from 'node:fs'
import { createBus } from '#main/lib/bus.ts'
import { messageOf } from '#main/lib/file-system.ts'
import { stopAll } from '#main/lib/stop-all.ts'
import type { KnowledgeBounds, KnowledgeStore } from '#main/storage/knowledge.ts'
import { knowledgeBounds } from '#main/storage/knowledge-bounds.ts'
import { createStagedFiles } from '#main/storage/staged-files.ts'
import { KnowledgeFile } from '#shared/model/platform/knowledge.ts'
import { localUploads } from '../uploads.ts'
import type { Copied } from './backup.ts'
import { textLost } from './consistency.ts'
import { databaseFailure } from './database-failure.ts'
import type { KnowledgeMethods, KnowledgeThreadOptions } from './knowledge-worker.ts'
import { finishRepair } from './repair.ts'
import { ThreadLink } from './thread-link.ts'

/**
 * Opens the knowledge base if there is one; the first file creates it. Until then nothing is stored, and its thread
 * takes no memory. Never rejects: without a knowledge base, the rest of the service runs.
 */
export async function openSqliteKnowledge(options: {
  /** Path of the database; SQLite keeps further files beside it. */
  readonly file: string
  /** Emptied now, because an interrupted upload leaves its files there. */
  readonly uploadsFolder: string
  readonly bounds?: Partial<KnowledgeBounds>
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Whether there is no room for a further file; see `openOwnDatabase`. */
  readonly isDiskFull?: boolean
  /** Receives why a file cannot be used. */
  readonly onProblem: (error: Error) => void
  /** Receives what the operator should know about a damaged file. */
  readonly onNotice: (sentence: string) => void
}): Promise<KnowledgeStore & Copied> {
  const { file, uploadsFolder, clock, onProblem, onNotice, isDiskFull = false } = options
  const bounds = { ...knowledgeBounds, ...options.bounds }
  const threadOptions: KnowledgeThreadOptions = { file, isDiskFull }
  const link = new ThreadLink<KnowledgeMethods>('knowledge-worker', threadOptions, {
    onReport: onProblem,
    onNotice(notice) {
      onNotice(notice)
      onRepaired()
    },
  })
  let opening: Promise<void> | null = null
  let onRepaired = () => {}

  /** Replaces what is stored about a file if the disk has changed it: otherwise no list with that file could be read. */
  async function replaceDamagedFacts(): Promise<void> {
    for (const { columns, file } of await link.call('all')) {
      if (parseFile(file) !== null) continue
      const [, addedAt] = /"addedAt":"(.{20,30}?)"/.exec(file) ?? []
      const known = parseFile(columns, { ...unread, addedAt }) ?? parseFile(columns, unread)
      if (known === null) continue
      await link.call('replaceFacts', known)
      onNotice(
        `What was stored about the knowledge file ${known.name} was damaged. The file is read again. Check the disk.`,
      )
    }
  }

  function open(): Promise<void> {
    opening ??= openAll().catch(async cause => {
      await link.close()
      onProblem(new Error(`The knowledge base ${file} cannot be used: ${messageOf(cause)}`, { cause }))
    })
    return opening
  }

  async function openAll(): Promise<void> {
    await link.open()
    await replaceDamagedFacts().catch(onProblem)
  }

  /** @throws ServiceError `storage_unavailable`, `damaged_data`. */
  function required<Result>(result: Promise<Result>): Promise<Result> {
    return result.catch(cause => {
      throw databaseFailure(`The knowledge base ${file} cannot be used`, cause)
    })
  }

  /** @param nothing the answer while no knowledge base exists. */
  async function ask<Result>(nothing: Result, question: () => Promise<Result>): Promise<Result> {
    return opening === null ? nothing : required(opening.then(question))
  }

  const changes = createBus<void>(error => onProblem(new Error(messageOf(error), { cause: error })))
  /** Publishes a change if there was one. */
  function changed<Result>(result: Result): Result {
    if (result) changes.publish()
    return result
  }

  const stagedFiles = createStagedFiles(uploadsFolder)
  await stagedFiles.clear().catch(onProblem)
  finishRepair(file)
  if (existsSync(file)) await open()

  return {
    changes,
    receive: stagedFiles.write.bind(stagedFiles),
    ...localUploads(stagedFiles, bounds, clock),
    async restage(fileId) {
      const again = await stagedFiles.create()
      const isCopied = await ask(false, () => link.call('copy', fileId, again.path)).catch(async error => {
        await again.discard()
        throw error
      })
      if (!isCopied) await again.discard()
      return isCopied ? again : null
    },
    reread: (one, again) =>
      ask(false, () => link.call('reread', one, again === null ? null : { textPath: again.textPath })).then(
        changed,
      ),
    readEarlier: () => ask([], () => link.call('readEarlier')),
    onRepaired(listener) {
      onRepaired = listener
    },
    add: (one, { path, textPath }) =>
      required(open().then(() => link.call('add', one, { path, textPath }, bounds).then(fileOrNull))).then(
        changed,
      ),
    list: scope => ask([], () => link.call('list', scope).then(files => files.map(fileOf))),
    agents: () => ask([], () => link.call('agents')),
    get: fileId => ask(null, () => link.call('get', fileId).then(fileOrNull)),
    text: (fileId, range) => required(open().then(() => link.call('text', fileId, range))),
    search: search =>
      ask([], () =>
        link
          .call('search', search)
          .then(matches => matches.map(match => ({ ...match, file: fileOf(match.file) }))),
      ),
    remove: fileId => ask(false, () => link.call('remove', fileId)).then(changed),
    removeAgent: scope => ask(0, () => link.call('removeAgent', scope)).then(changed),
    async keepOnly(workspaceIds) {
      changed(await ask(false, () => link.call('keepOnly', workspaceIds)))
    },
    backup: path => ask(undefined, () => link.call('backup', path)),
    close: () => stopAll([() => link.close(), () => stagedFiles.clear()]),
  }
}

const fileOf = (json: string): KnowledgeFile => KnowledgeFile.parse(JSON.parse(json))

/** The facts about a file before it is read. */
const unread = {
  ...{ kind: 'txt', detail: '', nameFits: true, characters: 0, pages: null, rows: null, lines: null },
  ...{ warnings: [textLost], addedAt: new Date(0).toISOString() },
}

/** Returns null if it is not the JSON of a file. @param defaults fields that it may lack. */
function parseFile(json: string, defaults: object = {}): KnowledgeFile | null {
  try {
    return KnowledgeFile.parse({ ...defaults, ...JSON.parse(json) })
  } catch {
    return null
  }
}
const fileOrNull = (json: string | null) => (json === null ? null : fileOf(json))
