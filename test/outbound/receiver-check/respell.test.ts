import { describe, expect, test } from 'vitest'
import { respelledJson, respelledTarget, tampered } from '#main/outbound/receiver-check/respell.ts'

const bodies = [
  '{}',
  '{"order_id":"ORD-1","amount":0.01}',
  '{"a":{"b":[1,{"c":"x,y:{z}"}],"d":"\\"quoted\\", \\\\"},"e":true,"f":-0.5}',
  '{"ä":"ö, \u{1f600}","7":9}',
  '{"a,b":null}',
  '[1,2,"x"]',
  '"text"',
]

describe.each(bodies)('%s', body => {
  test.each(['unusual', 'python'] as const)('means the same in %s characters', style => {
    const respelled = respelledJson(body, style)
    expect(JSON.parse(respelled)).toEqual(JSON.parse(body))
    if (style === 'unusual') expect(respelled.trim()).not.toBe(body)
  })

  test('is another body of the same length once it is tampered with', () => {
    const other = tampered(body)
    expect(other).not.toBe(body)
    expect(other).toHaveLength(body.length)
    if (/[:[]\s*"?-?[A-Za-z0-9]/.test(body) && !body.includes('"a,b"'))
      expect(JSON.parse(other)).not.toEqual(JSON.parse(body))
  })
})

test('changes the order and the escapes of fields as no library writes them', () => {
  expect(respelledJson('{"id":"1","to":[1,2]}', 'unusual')).toBe(
    '{\n\t"\\u0074o": [1, 2] ,\n\t"\\u0069d": "1" }\r\n',
  )
  expect(respelledJson('{"id":"ä","to":[1,2]}', 'python')).toBe('{"to": [1, 2], "id": "\\u00e4"}')
})

test.each([
  ['/orders?a=1&b=x', '/orders?b=%78&a=1'],
  ['/orders?a=1&a=2', '/orders?a=%31&a=2'],
  ['/orders?a=%20', null],
  ['/orders', null],
])('respells the query of %s without another meaning', (target, respelled) => {
  expect(respelledTarget(target)).toBe(respelled)
  const queryOf = (path: string) => [...new URL(path, 'http://x').searchParams].toSorted()
  if (respelled !== null) expect(queryOf(respelled)).toEqual(queryOf(target))
})
