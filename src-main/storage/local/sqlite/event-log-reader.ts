/** The reader thread: questions, checkpoints, the index, backups. It never changes an event. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { Background } from './background.ts'
import { backUp } from './backup.ts'
import { Checkpointer } from './checkpointer.ts'
import { DamagedLogError } from './damaged-log.ts'
import { Indexer } from './indexer.ts'
import { LogReader } from './log-reader.ts'
import {
  type FromReader,
  failureOf,
  type ListRequest,
  type ReaderRequest,
  type ReplyValue,
  shared,
  type WorkerOptions,
} from './protocol.ts'
import { RunReader } from './run-reader.ts'
import { isDamage, openForReading } from './schema.ts'
import { findPage, type Page } from './search.ts'
import { TextIndex } from './text-index.ts'

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
  const runs = new RunReader(database)
  const index = new TextIndex(options.file, reader.identity(), reader.newestSeq())
  const askWriter = () => Atomics.store(counters, shared.finishCheckpoint, 1)
  const onFailure = (error: unknown) => {
    say({ report: failureOf(error) })
    if (isDamage(error) && !(error instanceof DamagedLogError)) index.rebuild()
  }
  const checkpointer = new Checkpointer(options.file, askWriter)
  const background = new Background(counters, checkpointer, new Indexer(reader, index), onFailure)

  const tellOfDamage = () => onFailure(new DamagedLogError('some of its events cannot be read'))

  const find = async (request: ListRequest): Promise<Page> => {
    try {
      const page = await findPage(reader, index, request)
      if (page.damaged > 0) tellOfDamage()
      return page
    } catch (error) {
      if (!isDamage(error) || error instanceof DamagedLogError) throw error
      // The index is damaged, which a new one mends.
      onFailure(error)
      return findPage(reader, index, request)
    }
  }

  const answer = async (request: ReaderRequest): Promise<ReplyValue> => {
    switch (request.op) {
      case 'list':
        return find(request)
      case 'get': {
        const scope = reader.scope(request.connectionId)
        const event = scope && reader.get(scope, request.seq)
        if (event === 'damaged') tellOfDamage()
        return event
      }
      case 'newest':
        return reader.newestSeq()
      case 'run':
        return runs.get(request.run)
      case 'runs':
        return { runs: runs.list(request) }
      case 'backup':
        await backUp(options.file, request.path)
        return null
      case 'close':
        background.stop()
        index.close()
        database.close()
        return null
    }
  }

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
