import { expect, test } from 'vitest'
import { textWithoutSecrets } from '#renderer/ui/draft/without-secrets.ts'

test('credentials are found in a time that grows with the length of the text alone', () => {
  const began = performance.now()
  for (const part of ['"a":"', 'http://', '?a=', '\\"', 'Bearer ', '{{', 'whsec_', '"'])
    textWithoutSecrets(part.repeat(256_000 / part.length))
  expect(performance.now() - began).toBeLessThan(1000)
})
