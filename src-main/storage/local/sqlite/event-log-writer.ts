/** The writer thread: everything that changes the log. */
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { numbersPerEvent } from './batch.ts'
import { createGrowthLimit } from './growth-limit.ts'
import { LogWriter } from './log-writer.ts'
import {
  type AppendBatch,
  type FromWriter,
  failureOf,
  type ReplyValue,
  type RunsRequest,
  shared,
  type ToWriter,
  type WorkerOptions,
  type WriterNotice,
  type WriterRequest,
} from './protocol.ts'
import { isDamage, isFull, openForWriting } from './schema.ts'

/** Milliseconds without a batch after which the writer counts as idle. */
const idleAfter = 10

/** Milliseconds to wait after background work failed. */
const retryAfter = 1000

const port = parentPort
if (!port) throw new Error('This file is the entry of a worker thread.')
const say = (message: FromWriter) => port.postMessage(message)
const options: WorkerOptions = workerData

try {
  serve(port)
} catch (error) {
  say({ refused: failureOf(error), damaged: isDamage(error) })
  port.unref()
}

function serve(port: MessagePort): void {
  const counters = new Int32Array(options.counters)
  const database = openForWriting(options.file, options.maxPages)
  const writer = new LogWriter(database, options.clockSettleMs, options.runBounds, {
    onPruneFailure: error => say({ report: failureOf(error) }),
    onDeleted: rows => void Atomics.add(counters, shared.rowsDeleted, rows),
    onRunsWaiting: runs => void Atomics.store(counters, shared.runsWaiting, runs),
  })
  const growth = createGrowthLimit(database, options)
  if (options.startsFull) growth.stop()
  let lastBatchAt = 0
  let timer: NodeJS.Timeout | undefined

  const answer = (request: WriterRequest): ReplyValue => {
    switch (request.op) {
      case 'remove':
        return writer.remove(request.connectionId, request.seq)
      case 'clear':
        return writer.clear(request.connectionId)
      case 'count':
        return writer.count(request.connectionId)
      case 'probe':
        growth.throwIfFull()
        writer.probe()
        return null
      case 'close':
        clearTimeout(timer)
        database.close()
        return null
    }
  }

  const note = (notice: WriterNotice) => {
    if (notice.op === 'tick') writer.tick(notice.now)
    else if (notice.op === 'lane') writer.setLane(notice.lane, notice.limit)
    else writer.retain(notice.connectionId, notice.maxEvents, notice.maxDays, notice.now)
  }

  const finishCheckpoint = () => {
    Atomics.store(counters, shared.finishCheckpoint, 0)
    try {
      database.exec('PRAGMA wal_checkpoint(PASSIVE)')
    } catch (error) {
      say({ report: failureOf(error) })
    }
  }

  const pruneWhenIdle = (delay: number) => {
    if (timer === undefined && writer.hasPruningLeft && database.isOpen) timer = setTimeout(prune, delay)
  }
  const prune = () => {
    timer = undefined
    if (performance.now() - lastBatchAt < idleAfter) return pruneWhenIdle(idleAfter)
    try {
      writer.pruneStep()
      pruneWhenIdle(0)
    } catch (error) {
      say({ report: failureOf(error) })
      pruneWhenIdle(retryAfter)
    }
  }

  const append = (batches: readonly AppendBatch[]) => {
    try {
      growth.allow()
      writer.append(batches)
      say(batches.length)
      const rows = batches.reduce((sum, [, numbers]) => sum + numbers.length / numbersPerEvent, 0)
      Atomics.add(counters, shared.rowsWritten, rows)
    } catch (error) {
      if (isFull(error)) growth.stop()
      say([batches.length, failureOf(error).message])
    }
    written()
  }

  const written = () => {
    if (Atomics.load(counters, shared.finishCheckpoint) === 1) finishCheckpoint()
    lastBatchAt = performance.now()
  }

  const doWithRuns = (requests: readonly RunsRequest[]) => {
    try {
      const values = writer.doWithRuns(requests)
      for (const [place, { id }] of requests.entries()) say({ id, value: values[place] ?? null })
    } catch (error) {
      for (const { id } of requests) say({ id, failure: failureOf(error) })
    }
    written()
  }

  const hear = (message: WriterRequest | WriterNotice) => {
    if (!('id' in message)) return note(message)
    try {
      say({ id: message.id, value: answer(message) })
    } catch (error) {
      say({ id: message.id, failure: failureOf(error) })
    }
    if (message.op === 'close') port.close()
  }

  port.on('message', (first: ToWriter) => {
    // All batches that have come by now are one transaction: an fsync costs as much as dozens of rows. So are all
    // requests of the runs. Any other message comes behind those before it.
    const batches: AppendBatch[] = []
    const requests: RunsRequest[] = []
    const write = () => {
      if (batches.length > 0) append(batches.splice(0))
      if (requests.length > 0) doWithRuns(requests.splice(0))
    }
    for (let message: ToWriter | undefined = first; message !== undefined; message = nextMessage(port)) {
      if (Array.isArray(message)) batches.push(message)
      else if (message.op === 'runs') requests.push(message)
      else {
        write()
        hear(message)
      }
    }
    write()
    pruneWhenIdle(idleAfter)
  })
  say({ opened: { newestSeq: writer.newestSeq } })
}

/** What has come and was not heard yet. */
function nextMessage(port: MessagePort): ToWriter | undefined {
  return receiveMessageOnPort(port)?.message
}
