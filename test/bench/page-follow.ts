/**
 * How long the dashboard keeps its thread from the reader while the activity follows 500 events a second of 20 connections,
 * or of one, as it is and with a processor that is four times as slow: milliseconds a second in tasks of 50 ms or more.
 * Target: at most 50, also in the last part.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { SigningKey } from '#main/signing/signing-key.ts'
import { createConnection, createRest } from '../support/rest-client.ts'
import { type Figure, printFigures } from './support/figures.ts'
import { buildDashboard, openDashboard } from './support/open-dashboard.ts'
import { postSteadily, type Target } from './support/post-steadily.ts'
import { adminToken, newFolder, removeFolder, startServe } from './support/processes.ts'

const mostMs = 50
/** Seconds of each part, after those in which the code is compiled. */
const partSeconds = 15
const warmupSeconds = 10

/** Notes each task of 50 ms or more. */
const watchTasks = `{
  window.longTasks = []
  new PerformanceObserver(list => {
    for (const { startTime, duration } of list.getEntries()) window.longTasks.push([startTime, duration])
  }).observe({ type: 'longtask' })
}`
const Tasks = z.array(z.tuple([z.number(), z.number()]))

/** A task that has to be among those that are noted. */
const ownTask = `new Promise(done => setTimeout(() => {
  for (const endsAt = performance.now() + 100; performance.now() < endsAt; );
  setTimeout(done, 100)
}))`

/** Returns milliseconds a second in long tasks, the longest of them, and milliseconds a second in any task. */
async function measure(
  dashboardUrl: string,
  path: string,
  slowdown: number,
  parts: number,
): Promise<Figure[]> {
  const { page, devTools, close } = await openDashboard(dashboardUrl, path)
  try {
    await page.getByRole('button', { name: 'Following' }).waitFor()
    await devTools.send('Performance.enable')
    await page.evaluate(watchTasks)
    await page.evaluate(ownTask)
    const isSeen = Tasks.parse(await page.evaluate('window.longTasks')).some(
      ([, duration]) => duration >= 100,
    )
    await devTools.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
    const busySeconds = async () => {
      const { metrics } = await devTools.send('Performance.getMetrics')
      return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN
    }
    await delay(warmupSeconds * 1000)
    const figures: Figure[] = [{ name: 'a task of our own is noted', value: Number(isSeen), must: 1 }]
    for (let part = 1; part <= parts; part++) {
      await page.evaluate('window.longTasks.length = 0')
      const before = await busySeconds()
      await delay(partSeconds * 1000)
      const tasks = Tasks.parse(await page.evaluate('window.longTasks')).map(([, duration]) => duration)
      const busy = ((await busySeconds()) - before) * 1000
      const sum = tasks.reduce((all, one) => all + one, 0)
      figures.push(
        {
          name: `${slowdown} times slower, part ${part}: in long tasks, each second`,
          value: sum / partSeconds,
          unit: ' ms',
          target: mostMs,
        },
        { name: '  the longest task', value: Math.max(0, ...tasks), unit: ' ms' },
        { name: '  in tasks of any length, each second', value: busy / partSeconds, unit: ' ms' },
      )
    }
    return figures
  } finally {
    await close()
  }
}

export async function run({ perSecond = 500, connections = 20, parts = 2 } = {}): Promise<readonly Figure[]> {
  await buildDashboard()
  const folder = newFolder()
  const service = await startServe(folder)
  try {
    const { dashboardUrl } = service.line
    const rest = createRest(() => dashboardUrl, adminToken)
    const targets: Target[] = []
    let first = ''
    for (let number = 1; number <= connections; number++) {
      const made = await createConnection(rest, { name: `Shop ${number}`, persistEvents: true })
      first ||= made.connectionId
      const { inboundUrl, signingSecret } = made.credentials
      targets.push({ url: inboundUrl, key: new SigningKey(signingSecret) })
    }
    const figures: Figure[] = []
    for (const [title, path, at] of [
      ['all connections', '/activity', targets],
      ['one connection', `/connections/${first}/activity`, targets.slice(0, 1)],
    ] as const)
      for (const slowdown of [1, 4]) {
        const posting = postSteadily(at, perSecond)
        const startedAt = performance.now()
        const found = await measure(dashboardUrl, path, slowdown, parts)
        const rate = posting.accepted() / ((performance.now() - startedAt) / 1000)
        await posting.stop()
        found.push({ name: '  events accepted each second', value: rate })
        printFigures(`A page that follows ${perSecond} events a second of ${title}`, found)
        figures.push(...found)
      }
    return figures
  } finally {
    await service.stop()
    removeFolder(folder)
  }
}

if (import.meta.main) {
  const [perSecond, parts] = process.argv.slice(2).map(Number)
  await run({ ...(perSecond !== undefined && { perSecond }), ...(parts !== undefined && { parts }) })
}
