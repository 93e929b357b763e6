import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eventBody } from '#renderer/entities/snippet/event-body.ts'
import { languageSnippets } from '#renderer/entities/snippet/languages.ts'
import { quote } from '#renderer/entities/snippet/quote.ts'
import { languages } from '#renderer/entities/snippet/snippet.ts'
import { anyText, awkwardEvents } from './awkward.ts'

const layout = fc.constantFrom(undefined, 2, '\t', '\r\n')

test('a body is the event as JSON on one line of visible characters', () => {
  fc.assert(
    fc.property(anyText, fc.dictionary(anyText, fc.jsonValue()), layout, (event, data, space) => {
      const body = eventBody(event, JSON.stringify(data, null, space))
      expect(body).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
      expect(JSON.parse(body)).toEqual({ event, data: JSON.parse(JSON.stringify(data)) })
    }),
  )
})

test('removes only white space between tokens, and numbers keep their digits', () => {
  const data = '{ "a b" : [ 1.0 ,\r\n\t12345678901234567890, 1E400 ], "c\\" d" : "  e\\\\" }'
  expect(eventBody('x', data)).toBe(
    '{"event":"x","data":{"a b":[1.0,12345678901234567890,1E400],"c\\" d":"  e\\\\"}}',
  )
})

test('escapes invisible characters', () => {
  expect(eventBody('a\u202eb', '{"c":"\u2028\u{e0001}\ud800\u200d\u00e9\u{1f600}"}')).toBe(
    '{"event":"a\\u202eb","data":{"c":"\\u2028\\udb40\\udc01\\ud800\\u200d\u00e9\u{1f600}"}}',
  )
})

test.each(languages)('a sender in %s shows a masked address unchanged', language => {
  const { render } = languageSnippets[language].send
  const url = 'http://127.0.0.1:8787/api/connect/••••••••/events'
  expect(render({ url, eventName: 'e', data: '{}' })).toContain(url)
})

/** Any text without the dots of a masked one. */
const address = anyText.map(text => text.replaceAll('•', ''))

test.each(languages)('a sender in %s differs only in the literals of its URL and body', language => {
  const { render } = languageSnippets[language].send
  const blank = { url: 'http://u', eventName: 'e', data: '{}' }
  const program = (url: string, body: string) =>
    render(blank)
      .split(quote[language](blank.url))
      .join(quote[language](url))
      .split(quote[language](eventBody('e', '{}')))
      .join(quote[language](body))
  fc.assert(
    fc.property(address, anyText, fc.constantFrom(...awkwardEvents), (url, eventName, { data }) => {
      expect(render({ url, eventName, data })).toBe(program(url, eventBody(eventName, data)))
    }),
  )
})
