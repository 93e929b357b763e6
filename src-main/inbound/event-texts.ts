import { createJobRunner, JobFailure } from '#main/lib/jobs/job-runner.ts'
import { workerUrl } from '#main/lib/jobs/worker-url.ts'
import { createTimeSlices } from '#main/lib/time-slices.ts'
import { ServiceError } from '#shared/errors.ts'
import { type EventSource, type EventText, readEvent } from './event-text.ts'

/** UTF-16 units of the longest body that the main thread reads: about a millisecond. */
const mostReadHere = 16 * 1024

export type EventTexts = ReturnType<typeof createEventTexts>

/** Reads the texts of events for those who look at them, without delaying events that arrive. */
export function createEventTexts() {
  const slices = createTimeSlices({ sliceMs: 2, isBusy: () => false })
  const runner = createJobRunner<EventSource, EventText | null>({
    entry: workerUrl('event-text-worker', import.meta.url),
    name: 'event texts',
    cpuLimitMs: 10_000,
    memoryLimitMb: 512,
    bufferLimitMb: 512,
    // Each holds its body, and a list reads one after another.
    maxWaiting: 50,
    idleMs: 30_000,
  })

  return {
    /**
     * Reads an event, a large one in a worker thread.
     *
     * @returns null if the body is no longer JSON. @throws ServiceError `events_busy`.
     */
    async read({ eventName, bodyText, reading }: EventSource): Promise<EventText | null> {
      const source = { eventName, bodyText, ...(reading !== undefined && { reading }) }
      if (bodyText.length <= mostReadHere) return slices.run(() => readEvent(source))
      try {
        return await runner.run(source)
      } catch (cause) {
        if (cause instanceof JobFailure) throw new ServiceError('events_busy', { cause })
        throw cause
      }
    },
    stop: () => runner.stop(),
  }
}
