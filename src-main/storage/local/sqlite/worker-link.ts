import { Worker } from 'node:worker_threads'
import { workerUrl } from '#main/lib/jobs/worker-url.ts'
import type { Failure, FromWorker, Opened, Reply, ReplyValue } from './protocol.ts'

/** Milliseconds between two starts of a worker that keeps dying. */
const restartEvery = 1000

export class WorkerFailure extends Error {
  readonly errcode: number | null

  constructor({ message, errcode }: Failure) {
    super(message)
    this.errcode = errcode
  }
}

/** The file could not be opened. */
export class OpenFailure extends WorkerFailure {
  readonly damaged: boolean

  constructor(failure: Failure, damaged: boolean) {
    super(failure)
    this.damaged = damaged
  }
}

export type LinkHandlers = {
  /** Of every start. */
  onOpened(newestSeq: number): void
  /** The outcome of the `count` oldest batches. */
  onBatches(count: number, failure: string | null): void
  onReport(error: Error): void
  /** The thread ended though nobody asked it to; it is started again. */
  onDied(): void
}

type Waiting<Value> = { resolve: (value: Value) => void; reject: (error: Error) => void }

/**
 * One worker thread: its questions and answers, and its return when it dies.
 *
 * @typeParam Value what it answers.
 */
export class WorkerLink<Value = ReplyValue> {
  readonly #name
  readonly #options
  readonly #handlers
  readonly #waiting = new Map<number, Waiting<Value>>()
  #worker: Worker | null = null
  #opened = false
  #closing = false
  #nextId = 0
  #restart: NodeJS.Timeout | undefined

  constructor(name: string, options: object, handlers: LinkHandlers) {
    this.#name = name
    this.#options = options
    this.#handlers = handlers
  }

  /** @throws OpenFailure */
  async open(): Promise<void> {
    const started = Promise.withResolvers<void>()
    this.#start(started)
    await started.promise
  }

  post(message: object): void {
    this.#worker?.postMessage(message)
  }

  /** @throws WorkerFailure */
  ask(question: { op: string } & Record<string, unknown>): Promise<Value> {
    if (!this.#worker || !this.#opened) {
      return Promise.reject(
        new WorkerFailure({ message: `The ${this.#name} is not running.`, errcode: null }),
      )
    }
    const id = this.#nextId++
    const { promise, resolve, reject } = Promise.withResolvers<Value>()
    this.#waiting.set(id, { resolve, reject })
    this.#worker.postMessage({ ...question, id })
    return promise
  }

  async close(): Promise<void> {
    this.#closing = true
    clearTimeout(this.#restart)
    const worker = this.#worker
    if (!worker) return
    const ended = new Promise(resolve => worker.once('exit', resolve))
    if (this.#opened) await this.ask({ op: 'close' }).catch(() => worker.terminate())
    else await worker.terminate()
    await ended
  }

  #start(started: PromiseWithResolvers<void> | null): void {
    const worker = new Worker(workerUrl(this.#name, import.meta.url), {
      workerData: this.#options,
      name: this.#name,
    })
    const startedAt = performance.now()
    let lastError: Error | null = null
    this.#worker = worker
    worker.on('message', (message: FromWorker<Value>) => this.#hear(message, started))
    worker.on('error', error => {
      lastError = error instanceof Error ? error : new Error(String(error))
    })
    worker.on('exit', code => {
      const wasOpen = this.#opened
      this.#worker = null
      this.#opened = false
      const error = lastError ?? new Error(`The ${this.#name} ended with code ${code}.`)
      for (const { reject } of this.#waiting.values()) reject(error)
      this.#waiting.clear()
      if (this.#closing) return
      if (started && !wasOpen) return started.reject(error)
      this.#handlers.onDied()
      this.#handlers.onReport(error)
      const delay = Math.max(0, restartEvery - (performance.now() - startedAt))
      this.#restart = setTimeout(() => this.#start(null), delay)
    })
  }

  #hear(message: FromWorker<Value>, started: PromiseWithResolvers<void> | null): void {
    if (typeof message === 'number') this.#handlers.onBatches(message, null)
    else if (Array.isArray(message)) this.#handlers.onBatches(message[0], message[1])
    else if ('id' in message) this.#answered(message)
    else if ('report' in message) this.#handlers.onReport(new WorkerFailure(message.report))
    else this.#hearOpened(message, started)
  }

  #answered(reply: Reply<Value>): void {
    const waiting = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    if ('failure' in reply) waiting?.reject(new WorkerFailure(reply.failure))
    else waiting?.resolve(reply.value)
  }

  #hearOpened(message: Opened, started: PromiseWithResolvers<void> | null): void {
    if ('refused' in message) {
      const failure = new OpenFailure(message.refused, message.damaged)
      if (started) started.reject(failure)
      else this.#handlers.onReport(failure)
      return
    }
    this.#opened = true
    this.#handlers.onOpened(message.opened.newestSeq)
    started?.resolve()
  }
}
