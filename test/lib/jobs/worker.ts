import { threadId } from 'node:worker_threads'
import { serveJobs } from '#main/lib/jobs/serve-jobs.ts'
import { ServiceError } from '#shared/errors.ts'

export type TestJob =
  | { readonly kind: 'echo'; readonly value: string }
  | { readonly kind: 'refuse' | 'fail' | 'spin' | 'fill' | 'exit' | 'thread' }

/** A worker that misbehaves as it is told. */
serveJobs((job: TestJob): string => {
  switch (job.kind) {
    case 'echo':
      return job.value
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
