import { getPriority } from 'node:os'
import { threadId } from 'node:worker_threads'
import { serveJobs } from '#main/lib/jobs/serve-jobs.ts'
import { ServiceError } from '#shared/errors.ts'

export type TestJob =
  | { readonly kind: 'echo'; readonly value: string }
  | { readonly kind: 'wait' | 'compute'; readonly ms: number }
  | { readonly kind: 'refuse' | 'fail' | 'spin' | 'fill' | 'exit' | 'thread' | 'priority' }

/** A worker that misbehaves as it is told. */
serveJobs((job: TestJob): string => {
  switch (job.kind) {
    case 'echo':
      return job.value
    case 'wait':
      return Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, job.ms)
    case 'compute': {
      const before = process.threadCpuUsage()
      for (;;) {
        for (let number = 0; number < 1_000_000; number++) Math.sqrt(number)
        const { user, system } = process.threadCpuUsage(before)
        if (user + system > job.ms * 1000) return 'computed'
      }
    }
    case 'priority':
      return String(getPriority())
    case 'thread':
      return String(threadId)
    case 'refuse':
      throw new ServiceError('workspace_not_found', { data: { issues: [{ path: 'a', message: 'b' }] } })
    case 'fail':
      throw new Error('A fault of the program.')
    case 'exit':
      process.exit(3)
      break
    case 'spin':
      for (;;) void 0
    case 'fill': {
      const kept: unknown[] = []
      for (;;) kept.push({ kept: kept.length, list: [kept.length] })
    }
  }
})
