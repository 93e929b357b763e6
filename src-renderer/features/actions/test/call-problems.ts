import { z } from 'zod'
import type { CallErrorCode } from '#shared/errors/call.ts'
import type { CallError } from '#shared/model/call.ts'

/** A remedy that the panel offers for a failed call. */
export type WayOut = 'arguments' | 'variables' | 'base-url' | 'definition' | 'timeout' | 'again'

type Words = {
  readonly title: string
  /** The remedy; null if the service's message contains it. */
  readonly remedy: string | null
  readonly ways: readonly WayOut[]
}

const words: Readonly<Record<CallErrorCode, Words>> = {
  no_base_url: {
    title: 'No base URL',
    remedy: 'Give the connection a base URL; every path is appended to it.',
    ways: ['base-url'],
  },
  invalid_arguments: {
    title: 'The arguments are invalid',
    remedy: null,
    ways: ['arguments'],
  },
  missing_environment_variable: {
    title: 'A variable is not set',
    remedy: 'Set it, then send again. Its value stays on the server.',
    ways: ['variables'],
  },
  token_unavailable: {
    title: 'There is no access token',
    remedy: 'Check the client and its secret under “How calls sign in”, then try the sign-in.',
    ways: ['variables'],
  },
  rate_limited: {
    title: 'The connection takes no calls now',
    remedy: 'Send again after that time. Runs of workflows wait by themselves.',
    ways: ['again'],
  },
  invalid_header_value: {
    title: 'A header cannot be sent',
    remedy: 'Change the header, or the value of its variable.',
    ways: ['definition'],
  },
  blocked_address: {
    title: 'This address is blocked',
    remedy: 'Use the address of the system itself as base URL.',
    ways: ['base-url'],
  },
  timeout: {
    title: 'No response in time',
    remedy: 'The request may have been carried out. You can set a longer timeout for the connection.',
    ways: ['again', 'timeout'],
  },
  connection_refused: {
    title: 'The call did not reach the host',
    remedy: 'Start the system, or check the host and port of the base URL.',
    ways: ['again', 'base-url'],
  },
  dns_failure: {
    title: 'The host was not found',
    remedy: 'Check the host of the base URL and the network of this computer.',
    ways: ['again', 'base-url'],
  },
  tls_error: {
    title: 'The secure connection failed',
    remedy:
      'Check the certificate of the system: the service never calls a system with an invalid one. You can add your own certificate authority in Settings › Limits.',
    ways: ['again', 'base-url'],
  },
  connection_reset: {
    title: 'The connection was interrupted',
    remedy: 'The request may have been carried out. Check the system before you send it again.',
    ways: ['again'],
  },
  response_too_large: {
    title: 'The response is too large',
    remedy: 'The request was carried out. Ask for less, with a page size or a filter.',
    ways: ['definition'],
  },
  network_error: {
    title: 'A network error',
    remedy: 'The request may have arrived. Check the system before you send it again.',
    ways: ['again'],
  },
}

const unknown: Words = { title: 'The call failed', remedy: null, ways: ['again'] }

export function callProblem({ code }: Pick<CallError, 'code'>): Words {
  return Object.entries(words).find(([known]) => known === code)?.[1] ?? unknown
}

const Issues = z.object({ issues: z.array(z.object({ path: z.string(), message: z.string() })) })

/** Returns the problem of each argument by its name. */
export function argumentProblems(
  { data }: Pick<CallError, 'data'>,
  parameters: readonly { readonly name: string }[],
): ReadonlyMap<string, string> {
  const issues = Issues.safeParse(data).data?.issues ?? []
  // The problem of a part of a value is shown at its parameter.
  const owner = (path: string) =>
    parameters.find(({ name }) => name === path) ?? parameters.find(({ name }) => path.startsWith(`${name}.`))
  return new Map(issues.toReversed().map(({ path, message }) => [owner(path)?.name ?? path, message]))
}
