import type { HeapInfo } from 'node:v8'
import { type Transferable, Worker } from 'node:worker_threads'
import { ServiceError } from '#shared/errors.ts'
import type { JobError, JobReply, JobRequest } from './serve-jobs.ts'

export type JobRunnerOptions = {
  /** Entry of the worker thread; it calls `serveJobs`. */
  readonly entry: URL
  /** Names the thread in debuggers and diagnostics. */
  readonly name: string
  /**
   * Milliseconds of CPU time of its thread that one job may take; checked every 50 ms. Elapsed time would end ordinary
   * jobs while the machine is busy.
   */
  readonly cpuLimitMs: number
  /** Milliseconds that one job may take even if its thread only waits; by default 15 times `cpuLimitMs`. */
  readonly timeLimitMs?: number
  /** MiB of JavaScript heap that the worker may use. */
  readonly memoryLimitMb: number
  /**
   * MiB of buffers, which the heap's limit does not count; checked like the CPU time, and the heap with them. Set it for
   * hostile jobs: V8 itself ends the whole process if one allocation, such as a growing array, exceeds the heap's limit.
   */
  readonly bufferLimitMb?: number
  /** Jobs that may wait while one runs. */
  readonly maxWaiting: number
  /** Milliseconds from the last job to the end of the worker. */
  readonly idleMs: number
}

/** Why a job has no result although its own code threw no error. */
export type JobFailureReason = 'busy' | 'timed_out' | 'out_of_memory' | 'aborted' | 'stopped' | 'died'

export class JobFailure extends Error {
  readonly reason: JobFailureReason

  constructor(reason: JobFailureReason, options?: ErrorOptions) {
    super(sentences[reason], options)
    this.name = 'JobFailure'
    this.reason = reason
  }
}

const sentences: Readonly<Record<JobFailureReason, string>> = {
  busy: 'Too many jobs are already waiting.',
  timed_out: 'The job took too long, so its worker was ended.',
  out_of_memory: 'The job exceeded its memory limit, so its worker was ended.',
  aborted: 'The caller cancelled the job before it had finished.',
  stopped: 'The service is stopping.',
  died: 'The worker ended without a result.',
}

export type JobRunner<Job, Result> = {
  /**
   * Runs a job in the worker thread after the jobs before it.
   *
   * @param signal removes the job from the queue, or ends its worker.
   * @param transfer the parts of the job that are moved to the worker instead of copied.
   * @throws JobFailure, or the job's own error; a ServiceError keeps its code.
   */
  run(job: Job, signal?: AbortSignal, transfer?: readonly Transferable[]): Promise<Result>
  /** Ends the worker. Running, waiting and later jobs fail with `stopped`. */
  stop(): Promise<void>
}

const mib = 1024 * 1024
const checkMs = 50
/** A busy machine gives a thread a small part of a core. Only a thread that waits for something takes longer. */
const elapsedPerCpu = 15
/** V8's limit of a heap that is checked here, in times of ours: what a job allocates between two checks must fit. */
const headroom = 8
/** V8 keeps the memory of a large job for later ones. A worker that has taken so many MiB ends with its job. */
const grownMb = 64

/** Running jobs of this process, by the name of their runner: threads belong to the process, not to a service. */
const busy = new Map<string, number>()

/** Returns how many workers of each name have a job now; those that have not had one yet are missing. */
export const busyWorkers = (): ReadonlyMap<string, number> => busy

type Waiting<Job, Result> = {
  readonly id: number
  readonly job: Job
  readonly transfer: readonly Transferable[]
  readonly resolve: (result: Result) => void
  readonly reject: (error: Error) => void
}

/**
 * Creates a queue that runs one job at a time in a worker thread. The first job starts the worker. It ends when it
 * is idle, and when a job exceeds its time or memory or is aborted; the next job then gets a new worker. piscina
 * and tinypool do the same, but start from a file in node_modules, which the bundle does not have.
 */
export function createJobRunner<Job, Result>(options: JobRunnerOptions): JobRunner<Job, Result> {
  const { bufferLimitMb, cpuLimitMs, timeLimitMs = elapsedPerCpu * cpuLimitMs } = options
  const queue: Waiting<Job, Result>[] = []
  let current: Waiting<Job, Result> | null = null
  let worker: Worker | null = null
  let timer: NodeJS.Timeout | undefined
  let check: NodeJS.Timeout | undefined
  /** Whether the worker's heap has grown so much that the next job gets a new one. */
  let isGrown = false
  let isStopped = false
  let nextId = 0

  /** Settles the running job, then starts the next. */
  function settle(act: (done: Waiting<Job, Result>) => void): void {
    const done = takeCurrent()
    clearTimeout(timer)
    clearTimeout(check)
    if (done !== null) act(done)
    begin()
  }

  function takeCurrent(): Waiting<Job, Result> | null {
    const taken = current
    current = null
    if (taken !== null) busy.set(options.name, (busy.get(options.name) ?? 0) - 1)
    return taken
  }

  function begin(): void {
    if (current !== null || isStopped) return
    const next = queue.shift()
    if (next === undefined) {
      timer = setTimeout(endWorker, options.idleMs).unref()
      return
    }
    current = next
    busy.set(options.name, (busy.get(options.name) ?? 0) + 1)
    clearTimeout(timer)
    timer = setTimeout(() => giveUp(new JobFailure('timed_out')), timeLimitMs)
    const request: JobRequest<Job> = { id: next.id, job: next.job }
    worker ??= start()
    worker.ref()
    try {
      worker.postMessage(request, next.transfer)
    } catch (cause) {
      // The job cannot be copied or moved.
      settle(({ reject }) => reject(new JobFailure('died', { cause })))
      return
    }
    watch(next, worker, null)
  }

  /**
   * Ends a job that takes too much. Node answers also while the thread's own code runs, as it interrupts it. It does not
   * answer before the thread has started.
   *
   * @param startedAt the CPU time of the thread in milliseconds at the first check of the job; null if this is it.
   */
  function watch(job: Waiting<Job, Result>, on: Worker, startedAt: number | null): void {
    check = setTimeout(async () => {
      const [cpu, memory] = await Promise.all([
        cpuMsOf(on),
        bufferLimitMb === undefined ? null : on.getHeapStatistics().catch(() => null),
      ])
      if (current !== job || worker !== on) return
      isGrown ||= memory !== null && memory.total_heap_size > grownMb * mib
      const failure = failureOf((cpu ?? 0) - (startedAt ?? cpu ?? 0), memory)
      if (failure === null) watch(job, on, startedAt ?? cpu)
      else giveUp(new JobFailure(failure))
    }, checkMs)
  }

  function failureOf(cpuMs: number, memory: HeapInfo | null): JobFailureReason | null {
    if (cpuMs > cpuLimitMs) return 'timed_out'
    if (memory === null || bufferLimitMb === undefined) return null
    const isLarge =
      memory.external_memory > bufferLimitMb * mib || memory.used_heap_size > options.memoryLimitMb * mib
    return isLarge ? 'out_of_memory' : null
  }

  /** Ends the worker together with its job: a thread cannot be interrupted in another way. */
  function giveUp(failure: JobFailure): void {
    endWorker()
    settle(({ reject }) => reject(failure))
  }

  function endWorker(): void {
    const ending = worker
    worker = null
    isGrown = false
    void ending?.terminate()
  }

  function start(): Worker {
    const started = new Worker(options.entry, {
      name: options.name,
      resourceLimits: {
        maxOldGenerationSizeMb: options.memoryLimitMb * (bufferLimitMb === undefined ? 1 : headroom),
        maxYoungGenerationSizeMb: 16,
      },
    })
    started.on('message', (reply: JobReply<Result>) => {
      if (started !== worker || reply.id !== current?.id) return
      started.unref()
      if (isGrown) endWorker()
      if ('error' in reply) settle(({ reject }) => reject(errorOf(reply.error)))
      else settle(({ resolve }) => resolve(reply.result))
    })
    const lost = (failure: JobFailure) => {
      if (started !== worker) return
      worker = null
      settle(({ reject }) => reject(failure))
    }
    started.on('error', error => {
      const isMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      lost(new JobFailure(isMemory ? 'out_of_memory' : 'died', { cause: error }))
    })
    started.on('exit', () => lost(new JobFailure('died')))
    return started
  }

  return {
    run(job, signal, transfer = []) {
      if (isStopped) return Promise.reject(new JobFailure('stopped'))
      if (signal?.aborted === true) return Promise.reject(new JobFailure('aborted'))
      if (queue.length >= options.maxWaiting) return Promise.reject(new JobFailure('busy'))
      const { promise, resolve, reject } = Promise.withResolvers<Result>()
      const waiting = { id: nextId++, job, transfer, resolve, reject }
      const abort = () => {
        const place = queue.indexOf(waiting)
        if (place !== -1) queue.splice(place, 1)
        if (current === waiting) giveUp(new JobFailure('aborted'))
        else reject(new JobFailure('aborted'))
      }
      signal?.addEventListener('abort', abort, { once: true })
      queue.push(waiting)
      begin()
      return promise.finally(() => signal?.removeEventListener('abort', abort))
    },
    async stop() {
      isStopped = true
      clearTimeout(timer)
      clearTimeout(check)
      const running = takeCurrent()
      const left = running === null ? queue.splice(0) : [running, ...queue.splice(0)]
      for (const { reject } of left) reject(new JobFailure('stopped'))
      const ending = worker
      worker = null
      await ending?.terminate()
    },
  }
}

/** Returns the CPU time of a thread in milliseconds; null if it does not run, or Node is older than 24.6. */
async function cpuMsOf(thread: Worker): Promise<number | null> {
  try {
    const { user, system } = await thread.cpuUsage()
    return (user + system) / 1000
  } catch {
    return null
  }
}

function errorOf({ code, message, stack, data }: JobError): Error {
  if (code !== null)
    return new ServiceError(code, { detail: message, ...(data === undefined ? {} : { data }) })
  const error = new Error(message)
  if (stack !== undefined) error.stack = stack
  return error
}
