/** The writer thread: everything that changes the log. */
import { receiveMessageOnPort, workerData } from 'node:worker_threads'
import { createTimeSlices } from '#main/lib/time-slices.ts'
import { endStates } from '../../rows/run-rows.ts'
import { lengthOf, numbersPerEvent } from './batch.ts'
import { createGrowthLimit } from './growth-limit.ts'
import { LogWriter } from './log-writer.ts'
import { createOldestDue } from './oldest-due.ts'
import { isDamage, isFull } from './own-database.ts'
import { type AppendBatch, type Call, type EventLogThreadOptions, failureOf, shared } from './protocol.ts'
import { openOrRepair } from './repair.ts'
import { eventLogSchema } from './schemas.ts'
import { callMethod, serveCalls, type Thread } from './serve-calls.ts'

/** Milliseconds without a batch after which the writer counts as idle. */
const idleAfter = 10

/** Milliseconds to wait after background work failed. */
const retryAfter = 1000

const options: EventLogThreadOptions = workerData

export type WriterMethods = ReturnType<typeof openWriter>['methods']

function openWriter(thread: Thread) {
  const counters = new Int32Array(options.counters)
  const database = openOrRepair(options.file, eventLogSchema, {
    maxPages: options.maxPages,
    timeout: options.lockTimeoutMs,
    checkUpTo: options.checkUpTo,
    isDamaged: options.isDamaged,
    isDiskFull: options.startsFull,
    onNotice: thread.notice,
  })
  const writer = new LogWriter(database, options, {
    onPruneFailure: thread.report,
    onDeleted: rows => void Atomics.add(counters, shared.rowsDeleted, rows),
    onRunsWaiting: runs => void Atomics.store(counters, shared.runsWaiting, runs),
  })
  const growth = createGrowthLimit(database, options)
  if (options.startsFull) growth.stop()
  let lastBatchAt = 0
  let timer: NodeJS.Timeout | undefined

  const { runs } = writer
  // Events are written between two slices.
  const slices = createTimeSlices({ sliceMs: 2, isBusy: () => false })
  /** Called inside a transaction that all requests that have arrived share. */
  const runMethods = {
    claim: runs.claim.bind(runs),
    renew: runs.renew.bind(runs),
    record: runs.record.bind(runs),
    retryAt: runs.retryAt.bind(runs),
    reopen: runs.reopen.bind(runs),
    hurry: runs.hurry.bind(runs),
    finish: runs.finish.bind(runs),
    cancel: runs.cancel.bind(runs),
    endPending: runs.endPending.bind(runs),
    forgetPending: runs.fanOuts.forget.bind(runs.fanOuts),
    forget: runs.forget.bind(runs),
    forgetKeys: writer.keys.forget.bind(writer.keys),
    recover: runs.recover.bind(runs),
  }
  const methods = {
    ...runMethods,
    remove: writer.remove.bind(writer),
    clear: writer.clear.bind(writer),
    countAll: writer.countAll.bind(writer),
    laneCounts: runs.lanes.list.bind(runs.lanes),
    oldestDue: createOldestDue(database, runs.lanes, slices),
    async countEnded(workflowIds: readonly string[] | null, first: number) {
      const sum = { succeeded: 0, failed: 0, cancelled: 0 }
      for (const workflow of workflowIds ?? runs.counters.workflows()) {
        const counts = await slices.run(() => runs.counters.count(workflow, first))
        for (const state of endStates) sum[state] += counts[state]
      }
      return sum
    },
    async figures(workflowIds: readonly string[], now: number) {
      const figures = []
      for (const workflowId of workflowIds)
        figures.push({ workflowId, ...(await slices.run(() => runs.counters.figures(workflowId, now))) })
      return figures
    },
    setLanes: runs.lanes.setLimits.bind(runs.lanes),
    retain: writer.retain.bind(writer),
    tick: writer.tick.bind(writer),
    probe(bytes: number) {
      growth.throwIfFull(bytes)
      writer.probe()
    },
    close() {
      clearTimeout(timer)
      database.close()
    },
  }

  const pruneWhenIdle = (delay: number) => {
    const hasWork = writer.hasPruningLeft || writer.hasReadingLeft
    if (timer === undefined && hasWork && database.isOpen) timer = setTimeout(prune, delay)
  }
  const prune = () => {
    timer = undefined
    const isIdle = performance.now() - lastBatchAt >= idleAfter
    if (!isIdle) return pruneWhenIdle(idleAfter)
    try {
      if (writer.hasPruningLeft) writer.pruneStep()
      writer.readStep()
      pruneWhenIdle(0)
    } catch (error) {
      thread.report(error)
      pruneWhenIdle(retryAfter)
    }
  }

  const append = (batches: readonly AppendBatch[]) => {
    try {
      growth.allow()
      const leftOut = writer.append(batches)
      if (leftOut.every(one => one === null)) thread.say(batches.length)
      else thread.say([batches.length, null, leftOut])
      const rows = batches.reduce((sum, [, numbers]) => sum + numbers.length / numbersPerEvent, 0)
      const length = batches.reduce((sum, batch) => sum + lengthOf(batch), 0)
      Atomics.add(counters, shared.rowsWritten, rows)
      Atomics.add(counters, shared.textWritten, length)
    } catch (error) {
      if (isFull(error)) growth.stop()
      Atomics.store(counters, shared.isFull, Number(isFull(error)))
      if (isDamage(error)) thread.report(error)
      thread.say([batches.length, failureOf(error).message])
    }
    written()
  }

  const written = () => {
    lastBatchAt = performance.now()
    if (Atomics.exchange(counters, shared.finishCheckpoint, 0) === 0) return
    try {
      database.exec('PRAGMA wal_checkpoint(PASSIVE)')
    } catch (error) {
      thread.report(error)
    }
  }

  /** Carries out requests in one transaction. One that fails is answered alone, and the others begin again. */
  const callRuns = (calls: readonly Call[]) => {
    for (let left = calls; left.length > 0; ) {
      let current = -1
      try {
        const values = writer.changeRuns(() => {
          const results = left.map((call, index) => {
            current = index
            return callMethod(runMethods, call)
          })
          current = -1
          return results
        })
        for (const [index, call] of left.entries()) thread.answer(call, () => values[index])
        break
      } catch (error) {
        // Without a current request the transaction itself failed, as it will again.
        const failed = current === -1 || isFull(error) ? left : left.slice(current, current + 1)
        const fail = () => {
          throw error
        }
        for (const call of failed) thread.answer(call, fail)
        left = left.filter(call => !failed.includes(call))
      }
    }
    written()
  }

  const receive = (first: AppendBatch | Call) => {
    // All batches that have arrived are one transaction: an fsync costs as much as dozens of rows. So are all requests
    // of runs. Any other call comes after the messages before it.
    const batches: AppendBatch[] = []
    const runCalls: Call[] = []
    const write = () => {
      if (batches.length > 0) append(batches.splice(0))
      if (runCalls.length > 0) callRuns(runCalls.splice(0))
    }
    let message: AppendBatch | Call | undefined = first
    for (; message !== undefined; message = receiveMessageOnPort(thread.port)?.message) {
      if (Array.isArray(message)) batches.push(message)
      else if (Object.hasOwn(runMethods, message.name)) runCalls.push(message)
      else {
        write()
        const call = message
        thread.answer(call, () => callMethod(methods, call))
      }
    }
    write()
    pruneWhenIdle(idleAfter)
  }

  return { newest: writer.newestSeq, methods, receive }
}

serveCalls(openWriter)
