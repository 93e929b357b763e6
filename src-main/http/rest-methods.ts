import type { AnyContractRouter } from '@orpc/contract'
import { isContractProcedure } from '@orpc/contract'

/**
 * Returns a function that gives the methods a path of REST accepts, sorted; none where there is no such path.
 *
 * @param contract whose routes are the paths.
 * @param others operations that REST has beside the contract.
 */
export function createMethodsOf(
  contract: AnyContractRouter,
  others: readonly { readonly method: string; readonly path: string }[],
): (path: string) => string[] {
  const operations = [...routesOf(contract), ...others].map(({ method, path }) => ({
    method,
    template: path.split('/'),
  }))
  return path => {
    const steps = path.split('/')
    const methods = operations.filter(({ template }) => fits(template, steps)).map(({ method }) => method)
    return [...new Set(methods)].sort()
  }
}

function routesOf(contract: AnyContractRouter): { method: string; path: string }[] {
  if (!isContractProcedure(contract)) return Object.values(contract).flatMap(routesOf)
  const { method, path } = contract['~orpc'].route
  return method === undefined || path === undefined ? [] : [{ method, path }]
}

/** A step in braces, as in `/connections/{connectionId}`, is any step but an empty one. */
function fits(template: readonly string[], steps: readonly string[]): boolean {
  return (
    template.length === steps.length &&
    template.every((wanted, index) =>
      wanted.startsWith('{') ? steps[index] !== '' : steps[index] === wanted,
    )
  )
}
