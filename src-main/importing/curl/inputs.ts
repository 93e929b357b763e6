import type { Method } from '#shared/model/method.ts'
import type { ParameterPlace } from '#shared/model/parameter.ts'
import { addBody } from './body.ts'
import { formText, fromFile, typeOfText } from './form-text.ts'
import { isSecretField } from './headers.ts'
import { maxParameters, ParameterList } from './parameter-list.ts'
import type { CurlRequest } from './read-request.ts'

export type CurlInputs = Pick<ParameterList, 'parameters' | 'omissions' | 'isLost'> & {
  /** The fixed query for the path, without its question mark. */
  readonly query: string
  /** The Content-Type of the body; null for JSON. */
  readonly contentType: string | null
  /** Whether the command sends a body. */
  readonly sendsBody: boolean
}

/** A part of a query, and where the command has it. */
type QueryText = { readonly text: string; readonly offset: number }

/**
 * Converts what a command sends to parameters: the placeholders of its path, the query of a GET, the body of another
 * method, and headers that the shell creates. Examples determine their types.
 *
 * @param open the placeholders of the path and the names of such headers.
 */
export function convertInputs(
  request: CurlRequest,
  method: Method,
  query: string,
  urlOffset: number,
  open: { readonly placeholders: readonly string[]; readonly headers: readonly QueryText[] },
): CurlInputs {
  const list = new ParameterList()
  for (const name of open.placeholders) list.add({ name, type: 'string', in: 'path' }, urlOffset)
  const fixed: QueryText[] = query === '' ? [] : [{ text: query, offset: urlOffset }]
  const filled: QueryText[] = []
  for (const one of [...(request.isGet ? request.data : []), ...request.query]) {
    const { offset, hasVariables, otherExpansion } = one.word
    const text = formText(one)
    if (text === null) list.lose('query', fromFile, offset)
    else if (text !== '') (hasVariables || otherExpansion !== null ? filled : fixed).push({ text, offset })
  }
  const isGet = method === 'GET'
  addQuery(list, isGet ? [...fixed, ...filled] : filled, isGet ? undefined : 'query')
  const { contentType, sendsBody } = addBody(list, request, method)
  for (const { text, offset } of open.headers) list.add({ name: text, type: 'string', in: 'header' }, offset)
  const { parameters, omissions } = list
  const fixedText = isGet ? '' : fixedQuery(list, fixed)
  return { parameters, omissions, query: fixedText, contentType, sendsBody, isLost: list.isLost }
}

/** Returns the fixed query of a request with a body, without likely secrets. */
function fixedQuery(list: ParameterList, given: readonly QueryText[]): string {
  return given
    .flatMap(({ text, offset }) =>
      text.split('&').filter(pair => {
        const [name = ''] = pair.split('=')
        if (isSecretField(name)) leaveOutSecret(list, name, offset)
        return pair !== '' && !isSecretField(name)
      }),
    )
    .join('&')
}

function leaveOutSecret(list: ParameterList, name: string, offset: number): void {
  const reason =
    'it looks like a credential, which is not stored, and only headers can contain environment variables'
  list.lose(`query parameter ${name}`, reason, offset)
}

/** Adds a parameter for each name of a query, which may come in several options. */
function addQuery(
  list: ParameterList,
  given: readonly QueryText[],
  place: Extract<ParameterPlace, 'query'> | undefined,
): void {
  const pairs = given.flatMap(({ text, offset }) =>
    [...new URLSearchParams(text)].map(([name, value]) => ({ name, value, offset })),
  )
  const byName = Map.groupBy(pairs, ({ name }) => name)
  for (const [name, [first, second]] of [...byName].slice(0, maxParameters)) {
    if (first === undefined) continue
    const { value, offset } = first
    if (isSecretField(name)) leaveOutSecret(list, name, offset)
    else
      list.add(
        {
          ...{ name, type: typeOfText(value), isList: second !== undefined },
          ...(place !== undefined && { in: place }),
        },
        offset,
      )
  }
  if (byName.size > maxParameters)
    list.lose(
      'query',
      `only the first ${maxParameters} of its parameters are imported`,
      pairs[0]?.offset ?? 0,
    )
}
