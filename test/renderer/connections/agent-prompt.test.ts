import { expect, test } from 'vitest'
import { agentPrompt, testVector } from '#renderer/features/connections/agent-prompt.ts'
import { hmacHex } from '../../signing/sender.ts'

test('the test vector of the prompt is right', () => {
  const { secret, timestamp, body, signature } = testVector
  expect(hmacHex(secret, `${timestamp}.${body}`)).toBe(signature)
  expect(agentPrompt('Shop', [])).toContain(`sha256=${signature}`)
})

test('the prompt names the declared events, and fits into the card', () => {
  const names = Array.from({ length: 30 }, (_, index) => `order.step_${index}`)
  const prompt = agentPrompt('Returns\nPortal', names)
  expect(prompt).toContain('“Returns Portal”')
  expect(prompt).toContain('order.step_0, order.step_1')
  expect(prompt).not.toContain('order.step_20')
  const longest = agentPrompt('Shop', [])
    .split('\n')
    .filter(line => line.length > 72)
  expect(longest).toEqual([`  sha256=${testVector.signature}`])
})
