/** The thread of the knowledge base: writes, reads and searches, one after another. */
import { workerData } from 'node:worker_threads'
import { backUp } from './backup.ts'
import { makePrivate, setAside } from './files.ts'
import { createKnowledgeTable } from './knowledge-table.ts'
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
  return {
    newest: 0,
    methods: {
      ...createKnowledgeTable(database),
      backup: (path: string) => backUp(file, path),
      close: () => database.close(),
    },
  }
}

serveCalls(openKnowledge)
