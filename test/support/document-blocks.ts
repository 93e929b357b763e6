import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

/**
 * Returns the fenced blocks of a page: the word after the fence, the reason why it is not run, and the text.
 *
 * @param page its path in the checkout.
 */
export function blocksOf(page: string) {
  const text = readFileSync(join(root, page), 'utf8')
  const fenced = /^```(\w*)(?: untested: (.+))?\n([\s\S]*?)^```$/gm
  const blocks = [...text.matchAll(fenced)].map(([, kind, untested, script = '']) => ({
    kind,
    untested,
    script,
  }))
  expect(text.match(/^ *```/gm)?.length ?? 0, `fences of ${page}`).toBe(2 * blocks.length)
  return blocks
}
