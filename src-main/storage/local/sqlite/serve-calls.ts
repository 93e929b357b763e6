import { type MessagePort, parentPort } from 'node:worker_threads'
import { type AppendBatch, type Call, type FromThread, failureOf, type Methods } from './protocol.ts'

export type Thread = {
  readonly port: MessagePort
  say(message: Exclude<FromThread, { value: never }>): void
  /** Reports an error that nobody waits for. */
  report(error: unknown): void
  /** Passes a sentence to the operator. */
  notice(sentence: string): void
  /** Sends the result of `act` to the caller. If nobody waits for it, an error is reported. */
  answer(call: Call, act: () => unknown): void
}

type Server = {
  /** The newest number in the database; the main thread continues after it. */
  readonly newest: number
  readonly methods: Methods & { readonly close: () => void }
  /** Receives every message; by default each is a call of one of the methods. */
  readonly receive?: (message: AppendBatch | Call) => void
}

/** Opens a database in this worker thread and serves the calls of the main thread. */
export function serveCalls(open: (thread: Thread) => Server): void {
  const port = parentPort
  if (!port) throw new Error('This file is the entry of a worker thread.')
  const post = (message: unknown) => port.postMessage(message)
  const report = (error: unknown) => post({ report: failureOf(error) })
  const notice = (sentence: string) => post({ notice: sentence } satisfies FromThread)
  function answer({ id, name }: Call, act: () => unknown): void {
    const reply = (result: object) => {
      if (id !== null) post({ id, ...result })
      if (name === 'close') port?.close()
    }
    const fail = (error: unknown) => (id === null ? report(error) : reply({ failure: failureOf(error) }))
    try {
      const value = act()
      if (value instanceof Promise) value.then(resolved => reply({ value: resolved }), fail)
      else reply({ value })
    } catch (error) {
      fail(error)
    }
  }
  try {
    const { newest, methods, receive } = open({ port, say: post, report, notice, answer })
    port.on('message', receive ?? ((call: Call) => answer(call, () => callMethod(methods, call))))
    post({ opened: { newest } } satisfies FromThread)
  } catch (error) {
    post({ refused: failureOf(error) } satisfies FromThread)
    port.unref()
  }
}

export function callMethod(methods: Methods, { name, args }: Call): unknown {
  const method = methods[name]
  if (method === undefined) throw new TypeError(`The thread has no method ${name}.`)
  return method(...args)
}
