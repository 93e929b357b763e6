import { describe, expect, test } from 'vitest'
import {
  openPlaceholders,
  parameterFor,
  pathPieces,
} from '#renderer/features/actions/definition/placeholders.ts'
import { sendingWords, waysToWrite } from '#renderer/features/actions/definition/written-as.ts'
import type { Parameter } from '#shared/model/parameter.ts'
import { places } from '#shared/request/places.ts'
import type { SendingAction } from '#shared/request/write-request.ts'

const plain: Parameter = { name: 'tags', type: 'string', description: 'x', required: true }
const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
const action = (fields: Partial<SendingAction> = {}): SendingAction => ({
  ...{ method: 'POST', path: '/', headers: null, parameters: [] },
  ...fields,
})
const words = (parameter: Partial<Parameter>, of = action()) =>
  sendingWords({ ...plain, ...parameter }, of)
    .map(({ text, code = '' }) => text + code)
    .join(' · ')

describe('the words on how a parameter is sent', () => {
  test('say the place, and beside it only what is not so by default', () => {
    expect(words({})).toBe('in body')
    expect(words({}, action({ method: 'GET' }))).toBe('in query')
    expect(words({ in: 'path', wireName: 'tag' })).toBe('in path · sent as tag')
    expect(words({ isList: true })).toBe('in body · list of text')
    expect(words({ isList: true, style: 'brackets' }, action({ headers: form }))).toBe(
      'in body · list of text · as a[]=1',
    )
    expect(words({ in: 'header', value: '2026' })).toBe('in header · always 2026')
    expect(words({ in: 'entireBody', value: [1] })).toBe('whole body · always [1]')
    const schema = { oneOf: [{ type: 'string' }, { type: 'object' }] }
    expect(words({ isList: true, schema })).toBe('in body · list of several shapes')
  })
})

describe('the ways to write a value', () => {
  const examples = (parameter: Partial<Parameter>, of = action()) =>
    waysToWrite({ ...plain, ...parameter }, of).map(
      ({ style, example, isDefault }) => `${style} ${example}${isDefault ? ' *' : ''}`,
    )

  test('are those of the table of places, with an example of each', () => {
    expect(examples({ in: 'query', isList: true })).toEqual([
      'repeat a=1&a=2 *',
      'comma a=1,2',
      'space a=1%202',
      'pipe a=1|2',
      'brackets a[]=1&a[]=2',
      'indexed a[0]=1&a[1]=2',
      'json a=[1,2]',
    ])
    expect(examples({ type: 'object' }, action({ headers: form }))).toContain('deep a[b]=1&a[c]=2 *')
    expect(examples({ in: 'path', type: 'object' })).toContain('comma b,1,c,2 *')
    for (const place of ['path', 'query', 'header'] as const)
      for (const of of [{ isList: true }, { type: 'object' }] as const)
        for (const { style } of waysToWrite({ ...plain, in: place, ...of }, action()))
          expect(places[place].takes).toContain(style)
  })

  test('of objects in a list are only those that have a place for them', () => {
    expect(examples({ in: 'query', isList: true, type: 'object' })).toEqual([
      'indexed a[0][b]=1',
      'json a=[{"b":1}]',
    ])
  })

  test('are none for a single text, and for JSON', () => {
    expect([examples({ in: 'query' }), examples({ isList: true })]).toEqual([[], []])
  })
})

describe('the placeholders of a path', () => {
  const of = action({
    path: '/a/{id}/x-{page[size]}{no}?q={id}',
    parameters: [
      { ...plain, name: 'id', in: 'path' },
      { ...plain, name: 'size', wireName: 'page[size]', in: 'path' },
      { ...plain, name: 'no', in: 'query' },
    ],
  })

  test('are filled or open, and their texts make the path', () => {
    const pieces = pathPieces(of)
    expect(pieces.map(({ text }) => text).join('')).toBe(of.path)
    expect(pieces.filter(({ kind }) => kind === 'filled').map(({ name }) => name)).toEqual([
      'id',
      'page[size]',
    ])
    expect(openPlaceholders(of)).toEqual(['no'])
  })

  test('are filled by a parameter with a name that parameters can have', () => {
    for (const name of ['no', 'größe ', 'a'.repeat(255)]) {
      const parameter = { ...parameterFor(name), description: 'x' }
      expect(openPlaceholders(action({ path: `/{${name}}`, parameters: [parameter] }))).toEqual([])
      expect(parameter.name).toMatch(/^[A-Za-z0-9_\-.[\]]{1,64}$/)
    }
  })
})
