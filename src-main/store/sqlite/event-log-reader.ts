/** The reader thread: questions, checkpoints, backups. It never changes an event. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { backUp } from './backup.ts'
import { Checkpointer } from './checkpointer.ts'
import { LogReader } from './log-reader.ts'
import {
  type FromReader,
  failureOf,
  type ReaderRequest,
  type ReplyValue,
  shared,
  type WorkerOptions,
} from './protocol.ts'
import { isDamage, openForReading } from './schema.ts'
import { findPage } from './search.ts'

/** Milliseconds between two looks at what the writer has done: while it writes, and while it does not. */
const busyEvery = 20
const quietEvery = 250

const port = parentPort
if (!port) throw new Error('This file is the entry of a worker thread.')
const options: WorkerOptions = workerData
const say = (message: FromReader) => port.postMessage(message)

try {
  serve(port)
} catch (error) {
  say({ refused: failureOf(error), damaged: isDamage(error) })
  port.unref()
}

function serve(port: MessagePort): void {
  const counters = new Int32Array(options.counters)
  const database = openForReading(options.file)
  const reader = new LogReader(database)
  const checkpointer = new Checkpointer(options.file, () =>
    Atomics.store(counters, shared.finishCheckpoint, 1),
  )
  let rowsSeen = Atomics.load(counters, shared.rowsWritten)

  const answer = async (request: ReaderRequest): Promise<ReplyValue> => {
    switch (request.op) {
      case 'list':
        return findPage(reader, request)
      case 'get': {
        const scope = reader.scope(request.connectionId)
        return scope && reader.get(scope, request.seq)
      }
      case 'newest':
        return reader.newestSeq()
      case 'backup':
        await backUp(options.file, request.path)
        return null
      case 'close':
        clearTimeout(timer)
        checkpointer.close()
        database.close()
        return null
    }
  }

  const lookAround = () => {
    const rows = Atomics.load(counters, shared.rowsWritten)
    const busy = rows !== rowsSeen
    rowsSeen = rows
    try {
      checkpointer.step()
    } catch (error) {
      say({ report: failureOf(error) })
    }
    timer = setTimeout(lookAround, busy ? busyEvery : quietEvery)
  }
  let timer = setTimeout(lookAround, quietEvery)

  port.on('message', async (request: ReaderRequest) => {
    try {
      say({ id: request.id, value: await answer(request) })
    } catch (error) {
      say({ id: request.id, failure: failureOf(error) })
    }
    if (request.op === 'close') port.close()
  })
  say({ opened: { newestSeq: reader.newestSeq() } })
}
