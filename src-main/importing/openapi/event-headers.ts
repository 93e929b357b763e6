import { isObject } from '#shared/json/exact-json.ts'
import { schemes } from '#shared/model/sender/templates.ts'
import type { ConversionParts } from './convert-operation.ts'
import { maxExamples } from './hints.ts'
import { field, oncePerObject, textField } from './json-value.ts'
import { declaredParameters, examplesOf } from './parameters.ts'

/** The headers in which senders of the known schemes name their events, in lower case. */
const eventHeaders = new Set(
  Object.values(schemes)
    .flatMap(({ templates }) => templates)
    .flatMap(({ eventName }) => ('header' in eventName ? [eventName.header.toLowerCase()] : [])),
)
const methods = ['post', 'put', 'patch', 'get', 'delete']
/** Longer texts name no event. Many webhooks can share them. */
const maxName = 200

/** Returns the operation of a webhook's path item; undefined if it has none. */
export function operationOf(item: unknown): object | undefined {
  return methods.map(method => field(item, method)).find(isObject)
}

/**
 * Returns a function that reads the name that a webhook's deliveries have in a header such as X-GitHub-Event; null if
 * they have none. Pure.
 */
export function createHeaderNames({ resolve, schemas }: ConversionParts) {
  const namesIn = oncePerObject(item => {
    const operation = operationOf(item)
    const { declared } = declaredParameters(
      { value: item, path: [] },
      { value: operation, path: [] },
      resolve,
    )
    const header = [...declared.values()].find(
      ({ value }) =>
        field(value, 'in') === 'header' && eventHeaders.has((textField(value, 'name') ?? '').toLowerCase()),
    )?.value
    if (header === undefined) return null
    const { values, keywords } = schemas.flatten(field(header, 'schema'))
    const own = keywords.get('examples')
    const examples = [
      ...[...examplesOf(header), keywords.get('example')],
      ...(Array.isArray(own) ? own.slice(0, maxExamples) : []),
    ]
    return {
      constant: values.length === 1 ? nameOf(values[0]) : null,
      example: examples.map(nameOf).find(one => one !== null) ?? null,
      operationId: nameOf(textField(operation, 'operationId')) ?? '',
    }
  })
  return (webhook: string, item: unknown): string | null => {
    const {
      constant = null,
      example = null,
      operationId = '',
    } = (isObject(item) ? namesIn(item) : null) ?? {}
    if (constant !== null || example === null) return constant
    if (begins(webhook, example) || begins(operationId, example)) return example
    // GitHub's document has the example of one event at others too. Its operations are `check-run/created` or `ping`.
    const [group = '', action] = operationId.split('/')
    return group !== '' && (action !== undefined || group === webhook) ? group.replaceAll('-', '_') : null
  }
}

function nameOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= maxName ? value : null
}

/** Returns whether a name is an event's, or one with a suffix: `issue-comment-edited` is one of `issue_comment`. */
function begins(name: string, event: string): boolean {
  const plain = (text: string) =>
    `${text
      .slice(0, maxName + 1)
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, '-')}-`
  return plain(name).startsWith(plain(event))
}
