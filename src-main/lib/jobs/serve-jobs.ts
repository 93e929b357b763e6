import { constants, getPriority, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { type ErrorCode, type ErrorData, ServiceError } from '#shared/errors.ts'

export type JobRequest<Job> = { readonly id: number; readonly job: Job }

/** A thrown error in a form that crosses threads; `code` is null for a programming error. */
export type JobError = {
  readonly code: ErrorCode | null
  readonly message: string
  readonly stack: string | undefined
  readonly data: ErrorData | undefined
}
export type JobReply<Result> =
  | { readonly id: number; readonly result: Result }
  | { readonly id: number; readonly error: JobError }

/** Beside threads that are as busy, a job gets about a quarter of the CPU. */
const niceness = 5

/**
 * Serves the jobs of this worker thread, which come one after another: replies with the result or the error of `work`. A
 * result of bytes is moved instead of copied.
 */
export function serveJobs<Job, Result>(work: (job: Job) => Result | Promise<Result>): void {
  const port = parentPort
  if (port === null) throw new Error('This file is the entry of a worker thread.')
  // Events that arrive come first. Only Linux sets the priority of the calling thread; other systems that of the process.
  if (process.platform === 'linux')
    setPriority(Math.min(getPriority() + niceness, constants.priority.PRIORITY_LOW))
  port.on('message', async ({ id, job }: JobRequest<Job>) => {
    let reply: JobReply<Result>
    try {
      reply = { id, result: await work(job) }
    } catch (error) {
      reply = { id, error: jobErrorOf(error) }
    }
    port.postMessage(reply, 'result' in reply ? buffersOf(reply.result) : [])
  })
}

function buffersOf(result: unknown): ArrayBuffer[] {
  const isOwn = result instanceof Uint8Array && result.buffer instanceof ArrayBuffer
  return isOwn ? [result.buffer] : []
}

function jobErrorOf(error: unknown): JobError {
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  if (error instanceof ServiceError) return { code: error.code, message, stack, data: error.data }
  return { code: null, message, stack, data: undefined }
}
