import type { OpenAPI } from '@orpc/contract'
import { z } from 'zod'

const prefix = '#/components/schemas/'
/** An answer that is one named schema. */
const Answer = z.object({
  content: z.object({ 'application/json': z.object({ schema: z.strictObject({ $ref: z.string() }) }) }),
})

/**
 * Replaces the answers that are one named schema by a reference, if several operations have the same one.
 *
 * @param shared where the answers are added, by the names of their schemas.
 */
export function shareAnswers(
  operations: readonly OpenAPI.OperationObject[],
  shared: Record<string, OpenAPI.ResponseObject>,
): void {
  const answers = operations.flatMap(({ responses = {} }) =>
    Object.entries(responses).flatMap(([status, response]) => {
      const { data } = Answer.safeParse(response)
      const ref = data?.content['application/json'].schema.$ref
      return ref?.startsWith(prefix) && !('$ref' in response) ? [{ responses, status, response, ref }] : []
    }),
  )
  for (const [ref, same] of Map.groupBy(answers, ({ ref }) => ref)) {
    const [first] = same
    if (first === undefined || same.length === 1) continue
    const name = ref.slice(prefix.length)
    shared[name] = first.response
    for (const { responses, status } of same) responses[status] = { $ref: `#/components/responses/${name}` }
  }
}
