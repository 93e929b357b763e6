/** The thread of the knowledge base: writes, reads and searches, one after another. */
import { workerData } from 'node:worker_threads'
import type {
  AgentScope,
  KnowledgeBounds,
  KnowledgeSearch,
  StagedFile,
  TextRange,
} from '#main/storage/knowledge.ts'
import type { KnowledgeFile } from '#shared/model/platform/knowledge.ts'
import { backUp } from './backup.ts'
import { makePrivate, setAside } from './files.ts'
import { KnowledgeTable } from './knowledge-table.ts'
import { ForeignSchemaError, isDamage, openOwnDatabase } from './own-database.ts'
import { knowledgeSchema } from './schemas.ts'
import { serveCalls, type Thread } from './serve-calls.ts'

export type KnowledgeThreadOptions = { readonly file: string }
const { file }: KnowledgeThreadOptions = workerData

export type KnowledgeMethods = ReturnType<typeof openKnowledge>['methods']

function open() {
  makePrivate(file)
  return openOwnDatabase(file, knowledgeSchema, null)
}

function openKnowledge({ report }: Pick<Thread, 'report'>) {
  let database: ReturnType<typeof open>
  try {
    database = open()
  } catch (error) {
    if (!isDamage(error) && !(error instanceof ForeignSchemaError)) throw error
    const aside = setAside(file, Date.now())
    database = open()
    report(
      `The knowledge base was damaged (${error instanceof Error ? error.message : ''}). It is kept as ${aside}, and a new one is started. Restore a backup to get its files back.`,
    )
  }
  const table = new KnowledgeTable(database)
  return {
    newest: 0,
    methods: {
      add: (one: KnowledgeFile, staged: Pick<StagedFile, 'path' | 'textPath'>, bounds: KnowledgeBounds) =>
        table.add(one, staged, bounds),
      list: (scope: AgentScope) => table.list(scope),
      agents: () => table.agents(),
      get: (fileId: string) => table.get(fileId),
      text: (fileId: string, range: TextRange) => table.text(fileId, range),
      search: (search: KnowledgeSearch) => table.search(search),
      remove: (fileId: string) => table.remove(fileId),
      removeAgent: (scope: AgentScope) => table.removeAgent(scope),
      keepOnly: (workspaceIds: readonly string[]) => table.keepOnly(workspaceIds),
      backup: (path: string) => backUp(file, path),
      close: () => database.close(),
    },
  }
}

serveCalls(openKnowledge)
