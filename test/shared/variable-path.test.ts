import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isOddPath, parsePath, pathText } from '#shared/model/variable-path.ts'
import { createRenderer } from '#shared/workflows/renderer.ts'
import { soleVariable } from '#shared/workflows/templates.ts'

describe('the path of a variable', () => {
  test.each([
    ['customer.name', ['customer', 'name']],
    ['lines.0.sku', ['lines', '0', 'sku']],
    ['lines[0].sku', ['lines', '0', 'sku']],
    ['["odd key"].b', ['odd key', 'b']],
    ['a["b.c"][0][\'d\']', ['a', 'b.c', '0', 'd']],
    ['a["\\u0041\\n\\"\\\\"]', ['a', 'A\n"\\']],
  ])('%s has the steps %j', (path, steps) => {
    expect(parsePath(path)).toEqual(steps)
  })

  test.each([
    '',
    '.',
    'a.',
    '.a',
    'a..b',
    'a b',
    'a[',
    'a[]',
    'a[x]',
    'a["b]',
    'a["b"]c',
    'a{b}',
    '"a"',
    'a["\n"]',
  ])('%j is none', text => {
    expect(parsePath(text)).toBeNull()
  })

  test('is written in brackets where a key needs it', () => {
    expect(pathText(['fields', 'context.text', '0', 'b'])).toBe('fields["context.text"].0.b')
    expect(pathText(['odd key'])).toBe('["odd key"]')
    expect(pathText(['a', ''])).toBe('a[""]')
    expect(pathText(['total*2'])).toBe('["total*2"]')
    expect([isOddPath('total*2'), isOddPath('["total*2"].a-b')]).toEqual([true, false])
  })

  test('leads to any value, whatever its keys are', () => {
    const key = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc
        .array(fc.constantFrom('"', "'", '\\', '.', '[', ']', '{{', '}}', ' ', 'a', '\n', '\ud800'))
        .map(parts => parts.join('')),
    )
    fc.assert(
      fc.property(fc.array(key, { minLength: 1, maxLength: 4 }), steps => {
        const path = pathText(steps)
        expect(parsePath(path)).toEqual(steps)
        expect(soleVariable(`{{${path}}}`)).toBe(path)
        const payload = {
          event: steps.reduceRight<unknown>((inner, step) => Object.fromEntries([[step, inner]]), 7),
        }
        const inside = pathText(['event', 'event', ...steps])
        expect(createRenderer({ payload, steps: new Map() }).value(`{{${inside}}}`)).toBe(7)
      }),
    )
  })
})
