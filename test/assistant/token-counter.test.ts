import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, expect, test } from 'vitest'
import { createTokenCounter } from '#main/assistant/token-counter.ts'

const counter = createTokenCounter()
afterAll(() => counter.stop())

test('a long text has the tokens that the vocabulary gives it', async () => {
  const text = 'Order 1042 was paid, “at last”. Grüße aus Köln! '.repeat(200)
  expect(await counter.count([text, '', 'x'])).toEqual([countTokens(text), 0, 1])
})

test('a hostile text of one word is counted before the limit of time', async () => {
  const [tokens = 0] = await counter.count(['x'.repeat(1024 * 1024)])
  expect(tokens).toBeGreaterThan(100_000)
})
