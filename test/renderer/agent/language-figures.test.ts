import fc from 'fast-check'
import { expect, test } from 'vitest'
import { figuresOf, nextMissing } from '#renderer/features/agent/languages/figures.ts'

const languages = ['en', 'de', 'sv']
const text = fc.constantFrom('Hello', '{name}', 'Hi {name}')
const table = fc
  .array(fc.dictionary(fc.constantFrom(...languages), text), { maxLength: 6 })
  .map(rows => rows.map((texts, index) => ({ name: `t${index}`, texts: new Map(Object.entries(texts)) })))

test('every place is a text or missing, and only texts differ', () => {
  fc.assert(
    fc.property(table, rows => {
      const { texts, counts, missing, differing } = figuresOf(rows, languages, 'en')
      expect(texts + missing.length).toBe(rows.length * languages.length)
      expect([...counts.keys()]).toEqual(languages)
      const missingKeys = missing.map(({ name, language }) => `${name}_${language}`)
      for (const { name, language, lost } of differing) {
        expect(lost).toEqual(['name'])
        expect(missingKeys).not.toContain(`${name}_${language}`)
        expect(language).not.toBe('en')
      }
    }),
  )
})

test('going from one missing place to the next reaches each once, then the first again', () => {
  fc.assert(
    fc.property(table, rows => {
      const figures = figuresOf(rows, languages, 'en')
      let at = nextMissing(figures, rows, languages, null)
      const seen = []
      for (const _ of figures.missing) {
        seen.push(at)
        at = nextMissing(figures, rows, languages, at)
      }
      expect(seen).toEqual(figures.missing)
      expect(at).toEqual(figures.missing[0] ?? null)
    }),
  )
})
