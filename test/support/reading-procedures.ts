import { isContractProcedure } from '@orpc/contract'
import { contract } from '#shared/contract/index.ts'

/** What gives credentials on purpose, or never ends. */
const exceptions = new Set([
  'connections/credentials',
  'activity/live',
  'live/follow',
  'conversations/follow',
])

/** The paths of all procedures that read and may hold no credential: `connections/list`, also those to come. */
export function readingProcedures(): string[] {
  return Object.entries(contract)
    .flatMap(([noun, procedures]) =>
      Object.entries(procedures).map(([verb, procedure]) => ({ path: `${noun}/${verb}`, procedure })),
    )
    .filter(({ procedure }) => isContractProcedure(procedure) && procedure['~orpc'].route.method === 'GET')
    .map(({ path }) => path)
    .filter(path => !exceptions.has(path))
}
