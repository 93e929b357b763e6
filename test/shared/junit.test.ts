import fc from 'fast-check'
import { SaxesParser } from 'saxes'
import { expect, test } from 'vitest'
import { type JunitOutcome, type JunitReport, junitXml } from '#shared/junit.ts'

/** Texts with characters that XML cannot have, lone surrogates, and what could end a tag, an attribute or a section. */
const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        ']]>',
        '-->',
        '"',
        "'",
        '&lt;',
        '\r\n',
        '\t',
        '\0',
        '\u001b',
        '\ufffe',
        '\ud83d',
        '\udc00',
      ),
    ),
    { maxLength: 6 },
  )
  .map(parts => parts.join(''))
const outcome: fc.Arbitrary<JunitOutcome | null> = fc.option(
  fc.record(
    { kind: fc.constantFrom('failure', 'error', 'skipped'), type: text, message: text, body: text },
    { requiredKeys: ['kind', 'message'] },
  ),
)
const report: fc.Arbitrary<JunitReport> = fc.record({
  name: text,
  suites: fc.array(
    fc.record({
      name: text,
      at: fc.constant('2026-11-24T10:00:00.000Z'),
      cases: fc.array(
        fc.record(
          { classname: text, name: text, ms: fc.nat(), outcome, output: text },
          { requiredKeys: ['classname', 'name', 'ms', 'outcome'] },
        ),
        { maxLength: 3 },
      ),
    }),
    { maxLength: 3 },
  ),
})

type Element = { readonly name: string; readonly attributes: Record<string, string>; text: string }

/** Returns the elements of a document in order. @throws Error if it is not well-formed XML 1.0. */
function elementsOf(xml: string): Element[] {
  const parser = new SaxesParser()
  const [all, open]: Element[][] = [[], []]
  parser.on('error', error => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes, text: '' }
    all?.push(element)
    open?.push(element)
  })
  parser.on('text', found => {
    const inner = open?.at(-1)
    if (inner !== undefined) inner.text += found
  })
  parser.on('closetag', () => void open?.pop())
  parser.write(xml).close()
  return all ?? []
}

/** Returns a text as XML 1.0 can have it. */
const kept = (given: string) =>
  given.toWellFormed().replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')

test('a report is well-formed XML 1.0 and keeps its texts, whatever they are', () => {
  fc.assert(
    fc.property(report, given => {
      const cases = given.suites.flatMap(suite => suite.cases)
      const count = (kind: string) => cases.filter(one => one.outcome?.kind === kind).length
      const elements = elementsOf(junitXml(given))
      const named = (name: string) => elements.filter(element => element.name === name)
      expect(elements[0]?.attributes).toMatchObject({
        ...{ name: kept(given.name), tests: String(cases.length), failures: String(count('failure')) },
        ...{ errors: String(count('error')), skipped: String(count('skipped')) },
      })
      expect(named('testsuite').map(({ attributes }) => attributes.name)).toEqual(
        given.suites.map(({ name }) => kept(name)),
      )
      expect(named('testcase').map(({ attributes: { classname, name } }) => [classname, name])).toEqual(
        cases.map(({ classname, name }) => [kept(classname), kept(name)]),
      )
      for (const kind of ['failure', 'error', 'skipped'])
        expect(named(kind).map(one => [one.attributes.message, one.attributes.type, one.text])).toEqual(
          cases.flatMap(({ outcome }) =>
            outcome?.kind === kind
              ? [[kept(outcome.message), outcome.type && kept(outcome.type), kept(outcome.body ?? '')]]
              : [],
          ),
        )
      expect(named('system-out').map(one => one.text)).toEqual(
        cases.flatMap(({ output }) => (output === undefined ? [] : [kept(output)])),
      )
    }),
    { numRuns: 300 },
  )
})
