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
import { KnowledgeTable } from './knowledge-table.ts'
import { openRepairing } from './repair.ts'
import { knowledgeSchema } from './schemas.ts'
import { serveCalls, type Thread } from './serve-calls.ts'

export type KnowledgeThreadOptions = { readonly file: string; readonly isDiskFull: boolean }
const { file, isDiskFull }: KnowledgeThreadOptions = workerData

export type KnowledgeMethods = ReturnType<typeof openKnowledge>['methods']

function openKnowledge({ notice }: Pick<Thread, 'notice'>) {
  const { use, close } = openRepairing(
    file,
    knowledgeSchema,
    { isDiskFull, onNotice: notice },
    database => new KnowledgeTable(database),
  )
  return {
    newest: 0,
    methods: {
      add: (one: KnowledgeFile, staged: Pick<StagedFile, 'path' | 'textPath'>, bounds: KnowledgeBounds) =>
        use(table => table.add(one, staged, bounds)),
      copy: (fileId: string, path: string) => use(table => table.copy(fileId, path)),
      reread: (one: KnowledgeFile, staged: Pick<StagedFile, 'textPath'> | null) =>
        use(table => table.reread(one, staged)),
      all: () => use(table => table.all()),
      replaceFacts: (one: KnowledgeFile) => use(table => table.replaceFacts(one)),
      readEarlier: () => use(table => table.readEarlier()),
      list: (scope: AgentScope) => use(table => table.list(scope)),
      agents: () => use(table => table.agents()),
      get: (fileId: string) => use(table => table.get(fileId)),
      text: (fileId: string, range: TextRange) => use(table => table.text(fileId, range)),
      search: (search: KnowledgeSearch) => use(table => table.search(search)),
      remove: (fileId: string) => use(table => table.remove(fileId)),
      removeAgent: (scope: AgentScope) => use(table => table.removeAgent(scope)),
      keepOnly: (workspaceIds: readonly string[]) => use(table => table.keepOnly(workspaceIds)),
      backup: (path: string) => backUp(file, path),
      close,
    },
  }
}

serveCalls(openKnowledge)
