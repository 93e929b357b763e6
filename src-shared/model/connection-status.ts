import { z } from 'zod'
import type { ConnectionThresholds, ServiceWatch } from './alert.ts'
import { WorkflowId } from './identifiers.ts'

/** How a connection is doing, from the worst on. Those up to `attention` ask for something. */
export const ConnectionState = z.enum([
  'failing',
  'rejecting',
  'attention',
  'receiving',
  'silent',
  'disabled',
])
export type ConnectionState = z.infer<typeof ConnectionState>

/** The status of a connection: its last hour, in both directions. */
export const ConnectionStatus = z.object({
  state: ConnectionState.describe(
    '`failing`: many calls, or runs of one workflow, have failed. `rejecting`: many requests were refused. `attention`: some calls or runs have failed, or calls are paused. `receiving`: it works. `silent`: it never had an event, nor a call in the last 24 hours.',
  ),
  cause: z
    .enum(['calls', 'runs', 'rejected', 'paused'])
    .nullable()
    .describe('What is the matter; null for nothing.'),
  count: z.int().describe('The failed calls or runs, or the refused requests, of the last hour.'),
  of: z.int().describe('How many there were.'),
})
export type ConnectionStatus = z.infer<typeof ConnectionStatus>

/** The last hour of a connection, in 12 buckets of 5 minutes, without tests. */
export const LastHour = z.object({
  accepted: z.int().describe('Events and exact repeats.'),
  refused: z.int().describe('Requests that were refused because of what they are.'),
  calls: z.int().describe('Calls that were sent.'),
  callsFailed: z.int().describe('Those of them without a 2xx response.'),
  callsNotMade: z.int().describe('Calls for which nothing was sent, for example without a base URL.'),
  runs: z
    .array(z.object({ workflowId: WorkflowId, ended: z.int(), failed: z.int() }))
    .describe('The runs that its events have started, by workflow.'),
})
export type LastHour = z.infer<typeof LastHour>

/** Fewer failures tell nothing of a connection. */
export const leastFailures = { calls: 3, rejected: 5 } as const

type Share = { readonly failed: number; readonly total: number }

export const percentOf = ({ failed, total }: Share) => (total === 0 ? 0 : (failed * 100) / total)

/** Returns whether so many have failed that somebody should look. @param least failures below which they tell nothing. */
export const isFailing = (share: Share, percent: number, least: number) =>
  share.failed >= least && percentOf(share) >= percent

/** The share of the runs of a workflow. */
const failingRunsPercent = 20

export type StatusFacts = {
  readonly enabled: boolean
  /** Whether its server asked for no calls at present. */
  readonly isPaused: boolean
  /** Whether it had an event before, or a call in the last 24 hours. */
  readonly isUsed: boolean
  readonly lastHour: LastHour
  readonly thresholds: Pick<ConnectionThresholds, 'callsFailing' | 'refused'>
  readonly runsFailing: Pick<ServiceWatch['runsFailing'], 'count'>
}

/** Returns the status of a connection: of all that is the matter with it, the worst. */
export function statusOf(facts: StatusFacts): ConnectionStatus {
  const { enabled, isPaused, isUsed, lastHour, thresholds, runsFailing } = facts
  const calls = { failed: lastHour.callsFailed, total: lastHour.calls }
  const requests = { failed: lastHour.refused, total: lastHour.accepted + lastHour.refused }
  const isRunsFailing = (share: Share) => isFailing(share, failingRunsPercent, runsFailing.count)
  const shares = lastHour.runs.map(({ failed, ended }) => ({ failed, total: ended }))
  const failingRuns = worst(shares.filter(isRunsFailing))
  const is = (state: ConnectionState, cause: ConnectionStatus['cause'] = null, share?: Share) => ({
    ...{ state, cause, count: share?.failed ?? 0, of: share?.total ?? 0 },
  })
  if (!enabled) return is('disabled')
  if (isFailing(calls, thresholds.callsFailing.percent, leastFailures.calls))
    return is('failing', 'calls', calls)
  if (failingRuns !== undefined) return is('failing', 'runs', failingRuns)
  if (isPaused) return is('attention', 'paused')
  if (isFailing(requests, thresholds.refused.percent, leastFailures.rejected))
    return is('rejecting', 'rejected', requests)
  if (calls.failed > 0) return is('attention', 'calls', calls)
  const runs = worst(shares.filter(({ failed }) => failed > 0))
  if (runs !== undefined) return is('attention', 'runs', runs)
  return is(isUsed ? 'receiving' : 'silent')
}

/** Returns the largest share, of several the one of the most failures; undefined for none. */
const worst = (shares: readonly Share[]) =>
  shares.toSorted((one, two) => percentOf(two) - percentOf(one) || two.failed - one.failed)[0]

/** The states in which a connection asks for something, but does not fail. */
export const attentionStates: readonly ConnectionState[] = ['rejecting', 'attention']
