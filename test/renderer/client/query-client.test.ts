import { QueryObserver } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { createQueryClient, oneAtATime } from '#renderer/client/query-client.ts'

/** A query whose fetches are answered one by one, each with the state at its start. */
function startReading() {
  const queries = createQueryClient()
  const answers: (() => void)[] = []
  let known = 'before'
  const observer = new QueryObserver(queries, {
    queryKey: ['list'],
    queryFn: () => {
      const answer = known
      return new Promise<string>(resolve => answers.push(() => resolve(answer)))
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
  const stop = observer.subscribe(() => {})
  return {
    queries,
    answers,
    stop,
    change: () => {
      known = 'after'
    },
    shown: () => observer.getCurrentResult().data,
  }
}

test('refetches a query whose first fetch was answered before a change', async () => {
  const { queries, answers, change, shown, stop } = startReading()
  change()
  const done = queries.invalidateQueries()
  answers[0]?.()
  await expect.poll(() => answers.length).toBe(2)
  expect(shown()).toBe('before')
  answers[1]?.()
  await done
  expect(shown()).toBe('after')
  stop()
})

test('refetches a loaded query only once', async () => {
  const { queries, answers, change, shown, stop } = startReading()
  answers[0]?.()
  await expect.poll(shown).toBe('before')
  change()
  const done = queries.invalidateQueries()
  await expect.poll(() => answers.length).toBe(2)
  answers[1]?.()
  await done
  expect(shown()).toBe('after')
  expect(answers).toHaveLength(2)
  stop()
})

test('refetches once more for all changes during a refetch, and never two at once', async () => {
  const ends: (() => void)[] = []
  const ask = oneAtATime(() => new Promise(resolve => ends.push(resolve)))
  for (let n = 0; n < 5; n++) ask()
  expect(ends).toHaveLength(1)
  ends[0]?.()
  await expect.poll(() => ends.length).toBe(2)
  ends[1]?.()
  await Promise.resolve()
  expect(ends).toHaveLength(2)
  ask()
  await expect.poll(() => ends.length).toBe(3)
})
