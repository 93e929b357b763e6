import { Worker } from 'node:worker_threads'
import { workerUrl } from '#main/lib/jobs/worker-url.ts'
import type { LeftOut } from '../../rows/run-rows.ts'
import type { Call, Failure, FromThread, Methods } from './protocol.ts'

/** Milliseconds between two starts of a thread that keeps dying. */
const restartEvery = 1000

class ThreadFailure extends Error {
  readonly errcode: number | null

  constructor({ message, errcode }: Failure) {
    super(message)
    this.errcode = errcode
  }
}

type LinkHandlers = {
  /** Called after every start, with the newest number in the database. */
  readonly onOpened?: (newest: number) => void
  /** Receives the outcome of the `count` oldest batches; the failure is null if they are durable. */
  readonly onBatches?: (count: number, failure: string | null, leftOut?: readonly (LeftOut | null)[]) => void
  readonly onReport: (error: Error) => void
  /** Receives sentences for the operator. */
  readonly onNotice: (sentence: string) => void
  /** The thread ended unexpectedly; it is started again. */
  readonly onDied?: () => void
}

type Waiting = { resolve: (value: never) => void; reject: (error: Error) => void }

/** Calls the methods of one worker thread, and starts the thread again if it dies. */
export class ThreadLink<Served extends Methods> {
  readonly #name
  readonly #options
  readonly #handlers
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | null = null
  #opened = false
  #closing = false
  #nextId = 0
  #restart: NodeJS.Timeout | undefined

  /** @param name of the file that the thread starts with, and of the thread. @param options its `workerData`. */
  constructor(name: string, options: object, handlers: LinkHandlers) {
    this.#name = name
    this.#options = options
    this.#handlers = handlers
  }

  /** @throws ThreadFailure if the database cannot be opened. */
  async open(): Promise<void> {
    const started = Promise.withResolvers<void>()
    this.#start(started)
    await started.promise
  }

  /** @throws ThreadFailure */
  call<Name extends keyof Served & string>(
    name: Name,
    ...args: Parameters<Served[Name]>
  ): Promise<Awaited<ReturnType<Served[Name]>>> {
    return this.#ask(name, args)
  }

  /** Calls a method without waiting for it. While the thread is not running, nothing happens. */
  tell<Name extends keyof Served & string>(name: Name, ...args: Parameters<Served[Name]>): void {
    this.post({ id: null, name, args })
  }

  /** @param moved memory that this thread gives away. */
  post(message: object, moved?: readonly ArrayBuffer[]): void {
    this.#worker?.postMessage(message, moved)
  }

  async close(): Promise<void> {
    this.#closing = true
    clearTimeout(this.#restart)
    const worker = this.#worker
    if (!worker) return
    const ended = new Promise(resolve => worker.once('exit', resolve))
    if (this.#opened) await this.#ask('close', []).catch(() => worker.terminate())
    else await worker.terminate()
    await ended
  }

  #ask<Value>(name: string, args: Call['args']): Promise<Value> {
    const { promise, resolve, reject } = Promise.withResolvers<Value>()
    if (this.#worker && this.#opened) {
      const id = this.#nextId++
      this.#waiting.set(id, { resolve, reject })
      this.post({ id, name, args } satisfies Call)
    } else reject(new ThreadFailure({ message: `The ${this.#name} is not running.`, errcode: null }))
    return promise
  }

  #start(started: PromiseWithResolvers<void> | null): void {
    const worker = new Worker(workerUrl(this.#name, import.meta.url), {
      workerData: this.#options,
      name: this.#name,
    })
    const startedAt = performance.now()
    let lastError: Error | null = null
    this.#worker = worker
    worker.on('message', (message: FromThread) => this.#receive(message, started))
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
      this.#handlers.onDied?.()
      this.#handlers.onReport(error)
      const delay = Math.max(0, restartEvery - (performance.now() - startedAt))
      this.#restart = setTimeout(() => this.#start(null), delay)
    })
  }

  #receive(message: FromThread, started: PromiseWithResolvers<void> | null): void {
    const { onOpened, onBatches, onReport, onNotice } = this.#handlers
    if (typeof message === 'number') onBatches?.(message, null)
    else if (Array.isArray(message)) onBatches?.(...message)
    else if ('report' in message) onReport(new ThreadFailure(message.report))
    else if ('notice' in message) onNotice(message.notice)
    else if ('opened' in message) {
      this.#opened = true
      onOpened?.(message.opened.newest)
      started?.resolve()
    } else if ('refused' in message) {
      const failure = new ThreadFailure(message.refused)
      if (started) started.reject(failure)
      else onReport(failure)
    } else {
      const waiting = this.#waiting.get(message.id)
      this.#waiting.delete(message.id)
      if ('failure' in message) waiting?.reject(new ThreadFailure(message.failure))
      else waiting?.resolve(message.value)
    }
  }
}
