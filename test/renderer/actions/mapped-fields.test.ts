import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonOf, mappedFields, mappedText } from '#renderer/features/actions/test/mapped-fields.ts'
import { readJsonNodes } from '#renderer/ui/json-nodes.ts'

function read(text: string) {
  const nodes = readJsonNodes(text)
  if (nodes === null) throw new Error('This is not JSON.')
  return nodes
}

describe('mapped fields', () => {
  const nodes = read(
    '{"refund":{"id":9007199254740993,"amount":{"value":49.00}},"items":[{"sku":"A"},[]],"n":null}',
  )

  const headers = { location: '/orders/7', link: ['a', 'b'] }
  const answer = { status: 201, headers, nodes }

  test('name the status, a header and the whole body', () => {
    const fields = mappedFields({ ...answer, nodes: read('[{"id":9007199254740993}]') }, [
      { alias: 'status', path: '$status' },
      { alias: 'at', path: '$headers.Location' },
      { alias: 'links', path: '$headers.link' },
      { alias: 'all', path: '$body' },
      { alias: 'id', path: '$body[0].id' },
      { alias: 'gone', path: '$headers.gone' },
    ])
    expect(mappedText(fields)).toBe(
      '{"status":201,"at":"/orders/7","links":["a","b"],"all":[{"id":9007199254740993}],"id":9007199254740993,"gone":null}',
    )
    expect(fields.map(({ kind, isThere }) => (isThere ? kind : null))).toEqual([
      ...['number', 'string', 'array', 'array', 'number', null],
    ])
  })

  test('are read from the text, so that numbers keep their digits', () => {
    const fields = mappedFields(answer, [
      { alias: 'id', path: 'refund.id' },
      { alias: 'amount', path: 'refund.amount' },
      { alias: 'sku', path: 'items[0].sku' },
      { alias: 'n', path: 'n' },
    ])
    expect(mappedText(fields)).toBe('{"id":9007199254740993,"amount":{"value":49.00},"sku":"A","n":null}')
  })

  test('are null for a missing path, which is not the same as a null value', () => {
    const [gone, there] = mappedFields(answer, [
      { alias: 'gone', path: 'refund.none.id' },
      { alias: 'there', path: 'n' },
    ])
    expect([gone?.json, gone?.isThere]).toEqual(['null', false])
    expect([there?.json, there?.isThere]).toEqual(['null', true])
  })
})

test('a value written as JSON parses to the same value', () => {
  fc.assert(
    fc.property(fc.json(), text => {
      expect(JSON.parse(jsonOf(read(text), 0))).toEqual(JSON.parse(text))
    }),
  )
})
