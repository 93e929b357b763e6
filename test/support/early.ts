import { AsyncLocalStorage } from 'node:async_hooks'
import { afterAll, beforeAll, onTestFinished } from 'vitest'

type CleanUp = () => unknown

const cleanUpsOfEarly = new AsyncLocalStorage<CleanUp[]>()

/** Cleans up when the test has finished; in work that was begun early, after the tests of the file. */
export function atEnd(cleanUp: CleanUp): void {
  const cleanUps = cleanUpsOfEarly.getStore()
  if (cleanUps === undefined) onTestFinished(async () => void (await cleanUp()))
  else cleanUps.push(cleanUp)
}

/**
 * Begins work before the tests of this file, for a test that would otherwise wait for seconds while nothing happens.
 *
 * @returns a function for that test, which returns the outcome of the work.
 */
export function early<Outcome>(work: () => Promise<Outcome>): () => Promise<Outcome> {
  const cleanUps: CleanUp[] = []
  const begun = Promise.withResolvers<Outcome>()
  // The test that needs the outcome reports a failure.
  begun.promise.catch(() => {})
  beforeAll(() => void cleanUpsOfEarly.run(cleanUps, work).then(begun.resolve, begun.reject))
  afterAll(async () => {
    await Promise.allSettled([begun.promise])
    for (const cleanUp of cleanUps.toReversed()) await cleanUp()
  })
  return () => begun.promise
}
