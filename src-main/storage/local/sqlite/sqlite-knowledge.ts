import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '#main/lib/file-system.ts'
import type { KnowledgeBounds, KnowledgeStore } from '#main/storage/knowledge.ts'
import { KnowledgeFile, maxKnowledgeBytes, maxKnowledgeFiles } from '#shared/model/platform/knowledge.ts'
import { unavailable } from '../../unavailable.ts'
import type { KnowledgeMethods, KnowledgeThreadOptions } from './knowledge-worker.ts'
import { ThreadLink } from './thread-link.ts'

type SqliteKnowledgeOptions = {
  /** Path of the database; SQLite keeps further files beside it. */
  readonly file: string
  /** Emptied now, because an interrupted upload leaves its files there. */
  readonly uploadsFolder: string
  readonly bounds?: KnowledgeBounds
  /** Receives why a file was set aside or cannot be used. */
  readonly onProblem: (error: Error) => void
}

const usualBounds: KnowledgeBounds = { mostFiles: maxKnowledgeFiles, mostBytes: maxKnowledgeBytes }

/** Opens the knowledge base, or creates it. Never rejects: without it, the rest of the service runs. */
export async function openSqliteKnowledge(options: SqliteKnowledgeOptions): Promise<KnowledgeStore> {
  const { file, uploadsFolder, onProblem, bounds = usualBounds } = options
  const threadOptions: KnowledgeThreadOptions = { file }
  const link = new ThreadLink<KnowledgeMethods>('knowledge-worker', threadOptions, { onReport: onProblem })
  try {
    await rm(uploadsFolder, { recursive: true, force: true })
    await link.open()
  } catch (cause) {
    await link.close()
    onProblem(new Error(`The knowledge base ${file} cannot be used: ${messageOf(cause)}`, { cause }))
  }

  /** @throws ServiceError `storage_unavailable`. */
  function required<Result>(result: Promise<Result>): Promise<Result> {
    return result.catch(cause => {
      throw unavailable(`The knowledge base ${file} cannot be used`, cause)
    })
  }

  let staged = 0
  return {
    async stage() {
      await required(mkdir(uploadsFolder, { recursive: true, mode: 0o700 }))
      const path = join(uploadsFolder, String(++staged))
      const textPath = `${path}.text`
      return {
        path,
        textPath,
        async discard() {
          await Promise.all([path, textPath].map(one => rm(one, { force: true })))
        },
      }
    },
    add: (one, { path, textPath }) =>
      required(link.call('add', one, { path, textPath }, bounds).then(fileOrNull)),
    list: scope => required(link.call('list', scope).then(files => files.map(fileOf))),
    agents: () => required(link.call('agents')),
    get: fileId => required(link.call('get', fileId).then(fileOrNull)),
    text: (fileId, range) => required(link.call('text', fileId, range)),
    search: search =>
      required(
        link
          .call('search', search)
          .then(matches => matches.map(match => ({ ...match, file: fileOf(match.file) }))),
      ),
    remove: fileId => required(link.call('remove', fileId)),
    removeAgent: scope => required(link.call('removeAgent', scope)),
    keepOnly: workspaceIds => required(link.call('keepOnly', workspaceIds)),
    backup: path => required(link.call('backup', path)),
    close: () => link.close(),
  }
}

const fileOf = (json: string): KnowledgeFile => KnowledgeFile.parse(JSON.parse(json))
const fileOrNull = (json: string | null) => (json === null ? null : fileOf(json))
