import { getPriority } from 'node:os'
import { afterEach, expect, test } from 'vitest'
import { createJobRunner, type JobRunner, type JobRunnerOptions } from '#main/lib/jobs/job-runner.ts'
import type { TestJob } from './worker.ts'

const runners: JobRunner<TestJob, string>[] = []

function runner(options: Partial<JobRunnerOptions> = {}): JobRunner<TestJob, string> {
  const made = createJobRunner<TestJob, string>({
    entry: new URL('./worker.ts', import.meta.url),
    name: 'test',
    cpuLimitMs: 60_000,
    memoryLimitMb: 48,
    maxWaiting: 2,
    idleMs: 60_000,
    ...options,
  })
  runners.push(made)
  return made
}

afterEach(async () => {
  for (const made of runners.splice(0)) await made.stop()
})

const echo = (value: string) => ({ kind: 'echo', value }) as const

test('runs jobs one after another in one worker, which the first one starts', async () => {
  const { run } = runner()
  expect(await Promise.all([run(echo('a')), run(echo('b')), run(echo('c'))])).toEqual(['a', 'b', 'c'])
  expect(await run({ kind: 'thread' })).toBe(await run({ kind: 'thread' }))
})

test.runIf(process.platform === 'linux')('lowers the priority of the worker alone', async () => {
  const before = getPriority()
  expect(Number(await runner().run({ kind: 'priority' }))).toBe(before + 5)
  expect(getPriority()).toBe(before)
})

test('passes on what a job throws, with its code and issues, and goes on', async () => {
  const { run } = runner()
  await expect(run({ kind: 'refuse' })).rejects.toMatchObject({
    code: 'workspace_not_found',
    data: { issues: [{ path: 'a', message: 'b' }] },
  })
  await expect(run({ kind: 'fail' })).rejects.toThrow('A fault of the program.')
  expect(await run(echo('next'))).toBe('next')
})

test('ends a job that computes too long, and gives the next one a new worker', async () => {
  const { run } = runner({ cpuLimitMs: 1000 })
  const late = run({ kind: 'spin' })
  const next = run(echo('next'))
  await expect(late).rejects.toMatchObject({ reason: 'timed_out' })
  expect(await next).toBe('next')
})

test('does not count the time in which a job gets no CPU, or other jobs ran', async () => {
  const { run } = runner({ cpuLimitMs: 1000 })
  await run(echo('started'))
  expect(await run({ kind: 'wait', ms: 1200 })).toBe('timed-out')
  for (let job = 0; job < 3; job++) await run({ kind: 'compute', ms: 400 })
})

test('refuses a job that cannot be moved to the worker, and goes on', async () => {
  const { run } = runner()
  const bytes = new ArrayBuffer(1)
  const refused = run(echo('twice'), undefined, [bytes, bytes])
  await expect(refused).rejects.toMatchObject({ reason: 'died' })
  expect(await run(echo('next'))).toBe('next')
})

test('ends a job whose thread only waits, after a longer time', async () => {
  const { run } = runner({ timeLimitMs: 100 })
  await expect(run({ kind: 'wait', ms: 600_000 })).rejects.toMatchObject({ reason: 'timed_out' })
})

test('ends a job that needs too much memory, or ends its thread, and goes on', async () => {
  const { run } = runner()
  await expect(run({ kind: 'fill' })).rejects.toMatchObject({ reason: 'out_of_memory' })
  await expect(run({ kind: 'exit' })).rejects.toMatchObject({ reason: 'died' })
  expect(await run(echo('next'))).toBe('next')
})

test('refuses a job when too many wait', async () => {
  const { run } = runner()
  const jobs = [run(echo('a')), run(echo('b')), run(echo('c'))]
  await expect(run(echo('d'))).rejects.toMatchObject({ reason: 'busy' })
  expect(await Promise.all(jobs)).toEqual(['a', 'b', 'c'])
})

test('ends the work of a caller that goes away, and takes what waits out of the queue', async () => {
  const { run } = runner()
  const first = new AbortController()
  const second = new AbortController()
  const spinning = run({ kind: 'spin' }, first.signal)
  const waiting = run(echo('never'), second.signal)
  const last = run(echo('last'))
  second.abort()
  await expect(waiting).rejects.toMatchObject({ reason: 'aborted' })
  first.abort()
  await expect(spinning).rejects.toMatchObject({ reason: 'aborted' })
  expect(await last).toBe('last')
  await expect(run(echo('gone'), first.signal)).rejects.toMatchObject({ reason: 'aborted' })
})

test('ends an idle worker, and starts another one for the next job', async () => {
  const { run } = runner({ idleMs: 0 })
  const first = await run({ kind: 'thread' })
  await new Promise(resolve => setImmediate(() => setImmediate(resolve)))
  await expect.poll(() => run({ kind: 'thread' })).not.toBe(first)
})

test('fails what is under way and what waits with stopped, and whatever comes later', async () => {
  const { run, stop } = runner()
  const jobs = [run({ kind: 'spin' }), run(echo('a'))]
  const settled = Promise.allSettled(jobs)
  await stop()
  expect(await settled).toMatchObject([{ reason: { reason: 'stopped' } }, { reason: { reason: 'stopped' } }])
  await expect(run(echo('b'))).rejects.toMatchObject({ reason: 'stopped' })
})
