import { expect, test } from 'vitest'
import { explanations, fillExplanation } from '#renderer/entities/snippet/explanations.ts'

test("an explanation shows the request's own timestamp and body, whatever is in them", () => {
  const { was, must } = explanations.signed_body_only
  const request = { timestamp: '1795271515090', body: '{"a":"{timestamp} {body} $& $1"}' }
  expect(fillExplanation(was ?? '', request)).toBe(request.body)
  expect(fillExplanation(must ?? '', request)).toBe(`1795271515090.${request.body}`)
})

test('no two mistakes have the same title', () => {
  const titles = Object.values(explanations).map(({ title }) => title)
  expect(new Set(titles).size).toBe(titles.length)
})
