import type { TestRecord } from '#shared/model/call.ts'

const maxCharacters = 64 * 1024

/**
 * A test as it is kept: a long text is cut, and a long value left out, so that fifty tests of each action are
 * no burden. The answer to the test itself has all of it.
 */
export function shortenTest(test: Omit<TestRecord, 'shortened'>): TestRecord {
  let shortened = false
  const text = (given: string) => {
    if (given.length <= maxCharacters) return given
    shortened = true
    return given.slice(0, maxCharacters)
  }
  const value = <Value, Less>(given: Value, less: Less) => {
    if ((JSON.stringify(given) ?? '').length <= maxCharacters) return given
    shortened = true
    return less
  }
  const { request, response, result, mapped } = test.result
  const short: Omit<TestRecord, 'shortened'> = {
    ...test,
    arguments: value(test.arguments, {}),
    result: {
      ...test.result,
      request: request && { ...request, url: text(request.url), body: text(request.body) },
      response: response && { ...response, body: text(response.body) },
      result: value(result, null),
      mapped: value(mapped, null),
    },
  }
  return { ...short, shortened }
}
