import { isSecretField, isSecretValue } from '../curl/headers.ts'
import { field, textField } from '../openapi/json-value.ts'
import { describe, schemaOfText } from './examples.ts'
import type { Variables } from './variables.ts'

/** The query of a request: its parameters, what the path always has, and credentials, which are not stored. */
export type ReadQuery = {
  readonly parameters: readonly object[]
  readonly fixed: string
  readonly secrets: readonly { readonly name: string; readonly loss: 'required' | null }[]
}

/**
 * Reads the query of a request. That of a GET is its parameters. Another method keeps its query in the path, except for
 * values that are variables and for those that are switched off. A name that is repeated takes a list.
 */
export function readQuery(query: readonly unknown[], method: string, variables: Variables): ReadQuery {
  const pairs = query.map(one => {
    const given = field(one, 'value')
    const value = variables.fill(typeof given === 'string' ? given : '')
    return {
      ...{ name: textField(one, 'key') ?? '', value, isOff: field(one, 'disabled') === true },
      description: describe(one),
    }
  })
  const parameters: object[] = []
  const secrets: ReadQuery['secrets'][number][] = []
  const fixed: string[] = []
  for (const [name, same] of Map.groupBy(pairs, one => one.name)) {
    const [first] = same
    if (name === '' || first === undefined) continue
    const isOff = same.every(one => one.isOff)
    const isOpen = isOff || same.some(({ value }) => variables.isOpen(value))
    if (isSecretField(name) || same.some(({ value }) => isSecretValue(value)))
      secrets.push({ name, loss: isOff ? null : 'required' })
    else if (method === 'GET' || isOpen) {
      const { schema, ...example } = schemaOfText(first.value, variables)
      parameters.push({
        ...{ name, in: 'query', required: !isOff, description: first.description },
        ...(same.length > 1 ? { schema: { type: 'array', items: schema } } : { schema, ...example }),
      })
    } else
      for (const { value } of same) fixed.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
  }
  return { parameters, fixed: fixed.join('&'), secrets }
}
