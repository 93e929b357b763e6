import { type AnyContractProcedure, isContractProcedure } from '@orpc/contract'
import { contract } from '#shared/contract/index.ts'

/** Procedures that return credentials on purpose, or never end. */
const exceptions = new Set([
  'connections/credentials',
  'activity/live',
  'live/follow',
  'conversations/follow',
])

/** The procedures of a contract with their paths, such as `connections/list` or `platform/voice/get`. */
export function proceduresIn(router: object, path: readonly string[] = []): [string, AnyContractProcedure][] {
  return Object.entries(router).flatMap(([name, inner]: [string, unknown]) => {
    const at = [...path, name]
    if (isContractProcedure(inner)) return [[at.join('/'), inner] satisfies [string, AnyContractProcedure]]
    if (typeof inner !== 'object' || inner === null) throw new Error(`${at.join('/')} is not a procedure.`)
    return proceduresIn(inner, at)
  })
}

/** The paths of all procedures that read and may hold no credential: `connections/list`, also those to come. */
export function readingProcedures(): string[] {
  return proceduresIn(contract)
    .filter(([, procedure]) => procedure['~orpc'].route.method === 'GET')
    .map(([path]) => path)
    .filter(path => !exceptions.has(path))
}
