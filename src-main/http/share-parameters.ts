import type { OpenAPI } from '@orpc/contract'

type Shared = Record<string, OpenAPI.ParameterObject>

/**
 * Replaces the parameters that several operations have by references, and returns them by their names. Of parameters
 * that share a name, only the one that is longest over all its operations is replaced, so that it needs no other name.
 */
export function shareParameters(operations: readonly OpenAPI.OperationObject[]): Shared {
  const places = operations.flatMap(({ parameters = [] }) =>
    parameters.flatMap((parameter, index) =>
      'in' in parameter ? [{ parameters, index, parameter, text: JSON.stringify(parameter) }] : [],
    ),
  )
  const shared: Shared = {}
  for (const [name, named] of Map.groupBy(places, ({ parameter }) => parameter.name)) {
    const [most = []] = [...Map.groupBy(named, ({ text }) => text).values()]
      .filter(({ length }) => length > 1)
      .sort((a, b) => sizeOf(b) - sizeOf(a))
    for (const { parameters, index, parameter } of most) {
      shared[name] = parameter
      parameters[index] = { $ref: `#/components/parameters/${name}` }
    }
  }
  return shared
}

function sizeOf(places: readonly { readonly text: string }[]): number {
  return places.reduce((sum, { text }) => sum + text.length, 0)
}
