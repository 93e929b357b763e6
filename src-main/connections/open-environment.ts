import { createTokenFetcher } from '#main/outbound/token-fetcher.ts'
import { createTokens } from '#main/outbound/tokens.ts'
import type { Trust } from '#main/outbound/trust.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import { createEnvironment } from './environment.ts'

/**
 * Creates the environment of a service, with the tokens of its variables.
 *
 * @param options.env the variables of the process.
 * @param options.clock milliseconds since 1970.
 */
export function openEnvironment(options: {
  readonly store: Pick<ConfigStore, 'snapshot' | 'onChange'>
  readonly env: NodeJS.ProcessEnv
  readonly clock: () => number
  readonly version: string
  readonly trust: Pick<Trust, 'context'>
}) {
  const { store, env, clock } = options
  const fetcher = createTokenFetcher(options)
  const tokens = createTokens({ fetch: fetcher.fetch, clock })
  const environment = createEnvironment(store, env, tokens)
  return {
    environment,
    /** The parts of it for the workflow engine. */
    ofWorkflows: {
      variable: environment.resolve,
      stepVariable: environment.inStep,
      fetching: environment,
    },
    /** Cancels running requests for tokens. */
    close: fetcher.close,
  }
}
