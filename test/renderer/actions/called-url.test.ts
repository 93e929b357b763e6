import { describe, expect, test } from 'vitest'
import { calledUrl, partsOfCall, urlOfCall } from '#renderer/features/actions/called-url.ts'
import type { Parameter } from '#shared/model/parameter.ts'

const parameter = (name: string): Parameter => ({ name, type: 'string', description: 'x', required: true })
const base = 'https://api.acme-erp.com/v2'

describe('the URL that an action calls', () => {
  test('has the arguments of a GET after its fixed query', () => {
    const parameters = [parameter('order_id'), parameter(''), parameter('items[]')]
    expect(calledUrl(base, { method: 'GET', path: 'orders?sort=-created', parameters })).toEqual({
      fixed: 'https://api.acme-erp.com/v2/orders?sort=-created',
      query: '&order_id=…&items%5B%5D=…',
    })
    expect(calledUrl(base, { method: 'DELETE', path: '/orders', parameters })?.query).toBe('')
  })

  test('is the base URL itself for the path /', () => {
    const root = { method: 'POST', parameters: [] } as const
    expect(calledUrl(base, { ...root, path: '/' })?.fixed).toBe(base)
    expect(calledUrl(base, { ...root, path: '?a=1' })?.fixed).toBe(`${base}?a=1`)
  })

  test('is null while base URL and path do not make a URL', () => {
    expect(calledUrl('https://', { method: 'GET', path: '/', parameters: [] })).toBeNull()
  })

  test('has the arguments of one call as they are sent', () => {
    const action = { method: 'GET', path: '/orders', headers: null, parameters: [parameter('q')] } as const
    expect(urlOfCall(base, action, { q: 'a b&c' })).toBe(`${base}/orders?q=a%20b%26c`)
    expect(urlOfCall(base, { ...action, method: 'POST' }, { q: 'a' })).toBe(`${base}/orders`)
  })

  test('has the parameters of its path and its query, wherever they are sent', () => {
    const parameters: Parameter[] = [
      { ...parameter('id'), in: 'path' },
      { ...parameter('size'), in: 'query', wireName: 'page[size]' },
      { ...parameter('tags'), isList: true },
    ]
    const action = { method: 'POST', path: '/orders/{id}', headers: null, parameters } as const
    expect(calledUrl(base, action)).toEqual({ fixed: `${base}/orders/{id}`, query: '?page%5Bsize%5D=…' })
    const given = { id: 'a/b', size: 5, tags: ['c'] }
    expect(urlOfCall(base, action, given)).toBe(`${base}/orders/a%2Fb?page%5Bsize%5D=5`)
    expect(partsOfCall(action, given)).toEqual({
      headers: { 'Content-Type': 'application/json' },
      body: '{"tags":["c"]}',
    })
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
    expect(partsOfCall({ ...action, headers: form }, given)).toEqual({ headers: form, body: 'tags=c' })
  })
})
