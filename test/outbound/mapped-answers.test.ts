import { describe, expect, test } from 'vitest'
import { serve, startCaller } from './support.ts'

const links = ['<https://a.example/2>; rel="next"', '<https://a.example/9>; rel="last"']

/** Returns what a call maps of an answer. */
async function mapped(
  answer: { readonly status?: number; readonly body?: string; readonly type?: string },
  responseMapping: Readonly<Record<string, string>>,
  variables: Record<string, string> = { ECHOED: 'other-value' },
) {
  const { status = 200, body = '{}', type = 'application/json' } = answer
  const { url } = await serve((_request, response) => {
    response.writeHead(status, { 'Content-Type': type, Location: '/orders/7', Link: links, 'X-N': '5' })
    response.end(status === 204 ? undefined : body)
  })
  const headers = { 'X-Key': '{{ECHOED}}' }
  const outcome = await startCaller({ variables }).run(url, { responseMapping, headers })
  return outcome.mapped
}

const list = '[{"id":9007199254740993,"tags":["a"]},{"id":2}]'

describe('a mapping of an answer', () => {
  test('names the status and headers, in any case; a repeated header is a list', async () => {
    const paths = {
      status: '$status',
      location: '$headers.location',
      same: '$headers.Location',
      links: '$headers.link',
      last: '$headers.link[1]',
      n: '$headers.x-n',
      gone: '$headers.x-gone',
      id: 'id',
    }
    expect(await mapped({ status: 201, body: '{"id":7}' }, paths)).toEqual({
      ...{ status: 201, location: '/orders/7', same: '/orders/7', links, last: links[1] },
      ...{ n: '5', gone: null, id: 7 },
    })
  })

  test('names a list at the root as a whole, and parts of it, with every digit', async () => {
    const found = await mapped({ body: list }, { items: '$body', first: '[0].id', tag: '$body[0].tags.0' })
    expect(JSON.stringify(found)).toBe(`{"items":${list},"first":9007199254740993,"tag":"a"}`)
  })

  test.each([
    ['no body', 204, '', ''],
    ['an empty body', 201, '', ''],
    ['a text', 200, 'Created', 'Created'],
  ])('names the status and a header of an answer with %s', async (_, status, body, result) => {
    const paths = { status: '$status', at: '$headers.location', text: 'result' }
    expect(await mapped({ status, body, type: 'text/plain' }, paths)).toEqual({
      ...{ status, at: '/orders/7', text: result },
    })
  })

  test('without such a path, leaves an answer that is not JSON as it is', async () => {
    expect(await mapped({ body: 'Created', type: 'text/plain' }, { text: 'result' })).toBeNull()
  })

  test.each([404, 302])('is not applied to the status %i', async status => {
    expect(await mapped({ status }, { status: '$status', at: '$headers.location' })).toBeNull()
  })

  test('finds a field of the body with such a name first', async () => {
    const body = '{"$status":"open","$headers":{"location":null,"Location":"here"},"$body":{"a":1}}'
    const paths = {
      status: '$status',
      lower: '$headers.location',
      upper: '$headers.Location',
      n: '$headers.x-n',
      body: '$body',
      a: '$body.a',
    }
    expect(await mapped({ body }, paths)).toEqual({
      ...{ status: 'open', lower: null, upper: 'here', n: '5', body: { a: 1 }, a: 1 },
    })
  })

  test('masks a secret that a header echoes', async () => {
    expect(await mapped({}, { at: '$headers.location', n: '$headers.x-n' }, { ECHOED: '/orders/7' })).toEqual(
      {
        ...{ at: '••••', n: '5' },
      },
    )
  })
})
