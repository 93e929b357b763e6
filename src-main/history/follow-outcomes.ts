import type { Inbound } from '#main/inbound/inbound.ts'
import type { Bus } from '#main/lib/bus.ts'
import type { FinishedCall } from '#main/outbound/calls.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type { OccurrenceSummary } from '#main/storage/occurrence-storage.ts'
import type { Activity } from './activity.ts'
import { maxEntries } from './activity.ts'
import { type AttemptHistory, refusedOf } from './attempts.ts'
import { calledOf } from './calls.ts'
import { type History, numberOfId } from './history.ts'

export type OutcomeSources = {
  readonly inbound: Pick<Inbound, 'outcomes' | 'diagnosed'>
  readonly finishedCalls: Bus<FinishedCall>
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/** Puts what happens from now on into the activity, and refusals into the history under the same number. */
export function followOutcomes(
  activity: Activity,
  attempts: AttemptHistory,
  { inbound, finishedCalls, clock }: OutcomeSources,
): void {
  inbound.outcomes.subscribe(outcome => {
    const at = clock()
    const place = activity.add(outcome, at)
    if (outcome.kind === 'refused') attempts.keep(outcome, place, at)
  })
  inbound.diagnosed.subscribe(attempts.diagnosed)
  finishedCalls.subscribe(call => activity.add(call, call.at, numberOfId('call', call.callId) ?? undefined))
}

/** Puts refusals and calls of earlier runs into an activity that is still empty, under their old numbers. */
export async function recallActivity(
  activity: Activity,
  history: Pick<History, 'latest'>,
  store: Pick<ConfigStore, 'snapshot'>,
): Promise<void> {
  const { connections } = store.snapshot()
  for (const record of await history.latest(maxEntries))
    if (record.connectionId === null || connections.has(record.connectionId)) recall(activity, record)
}

function recall(activity: Activity, record: OccurrenceSummary): void {
  if (record.kind === 'attempt') {
    const found = refusedOf(record)
    if (found !== null) activity.add(found.refused, found.toldAt, record.place)
  } else if (record.kind === 'call') {
    const call = calledOf(record)
    if (call !== null) activity.add(call, call.at, record.place)
  }
}
