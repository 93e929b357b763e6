/** The thread of the history: its writes and its questions, one after another. */
import type { DatabaseSync } from 'node:sqlite'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { backUp } from './backup.ts'
import { makePrivate, setAside } from './files.ts'
import type { HistoryRequest, HistoryValue, HistoryWorkerOptions } from './history-protocol.ts'
import { openHistory } from './history-schema.ts'
import { OccurrenceTable } from './occurrence-table.ts'
import { ForeignSchemaError } from './own-schema.ts'
import { type FromWorker, failureOf } from './protocol.ts'
import { isDamage } from './schema.ts'

const port = parentPort
if (!port) throw new Error('This file is the entry of a worker thread.')
const options: HistoryWorkerOptions = workerData
const say = (message: FromWorker<HistoryValue>) => port.postMessage(message)

try {
  serve(port)
} catch (error) {
  say({ refused: failureOf(error), damaged: isDamage(error) })
  port.unref()
}

type Opened = {
  readonly database: DatabaseSync
  readonly table: OccurrenceTable
  readonly newestNumber: number
}

function open(): Opened {
  makePrivate(options.file)
  const database = openHistory(options.file)
  try {
    if (options.maxPages !== null) database.exec(`PRAGMA max_page_count = ${Math.trunc(options.maxPages)}`)
    const table = new OccurrenceTable(database, options.bounds)
    // Its first reads and writes, so that damage shows here.
    table.pruneOld(options.now)
    return { database, table, newestNumber: table.newestNumber() }
  } catch (error) {
    database.close()
    throw error
  }
}

/** Keeps the damaged file under another name and begins a new one. */
function beginAgain(cause: unknown): Opened {
  const aside = setAside(options.file, Date.now())
  const { message } = failureOf(cause)
  say({
    report: {
      message: `The history was damaged (${message}); it is kept as ${aside}, a new one is begun.`,
      errcode: null,
    },
  })
  return open()
}

function openOrBeginAgain(): Opened {
  try {
    return open()
  } catch (error) {
    if (!isDamage(error) && !(error instanceof ForeignSchemaError)) throw error
    return beginAgain(error)
  }
}

function serve(port: MessagePort): void {
  const opened = openOrBeginAgain()
  let { database, table } = opened

  const answer = async (request: HistoryRequest): Promise<HistoryValue> => {
    switch (request.op) {
      case 'write':
        table.write(request.batch)
        return null
      case 'list':
        return table.list(request)
      case 'newestOfEach':
        return table.newestOfEach(request.kind, request.connection)
      case 'get': {
        const found = table.get(request.kind, request.number)
        return found === null ? [] : [found]
      }
      case 'latest':
        return table.latest(request.limit)
      case 'forget':
        table.forget(request.connectionIds)
        return null
      case 'keepOnly':
        table.keepOnly(request.connectionIds)
        return null
      case 'backup':
        await backUp(options.file, request.path)
        return null
      case 'close':
        database.close()
        return null
    }
  }

  const answerOrMend = async (request: HistoryRequest): Promise<HistoryValue> => {
    try {
      return await answer(request)
    } catch (error) {
      if (!isDamage(error) || request.op === 'close') throw error
      database.close()
      const fresh = beginAgain(error)
      database = fresh.database
      table = fresh.table
      return answer(request)
    }
  }

  port.on('message', async (request: HistoryRequest) => {
    try {
      say({ id: request.id, value: await answerOrMend(request) })
    } catch (error) {
      say({ id: request.id, failure: failureOf(error) })
    }
    if (request.op === 'close') port.close()
  })
  say({ opened: { newestSeq: opened.newestNumber } })
}
