import { InvalidJson, readJson } from '#main/inbound/body.ts'
import type { ClaimedRun } from '#main/storage/runs.ts'
import type { RunErrorCode } from '#shared/errors/run.ts'
import { isObject } from '#shared/json/exact-json.ts'
import type { TriggerPayload } from '#shared/model/trigger.ts'
import type { Workflow } from '#shared/model/workflow.ts'
import { maxWork, tooMuchWork } from '#shared/workflows/interpreter.ts'
import { InvalidVariable, RenderedTooLarge } from '#shared/workflows/renderer.ts'
import { BudgetSpent, type Scope } from '#shared/workflows/scope.ts'
import { type End, failed, type StepError } from '#shared/workflows/steps/step-kind.ts'
import { noOutputs } from './matching.ts'
import { payloadOf, type RunSummary, summaryOf, summaryText } from './run-view.ts'
import { eventValues, preparedCondition } from './trigger-condition.ts'

const headersField = 'undecidedHeaders'

/**
 * Returns the text of an event with the header fields that its runs need to decide. They are deleted with the payload.
 *
 * @param text a JSON object that is not empty.
 */
export function withHeaders(text: string, headers: Scope['headers']): string {
  return `${text.slice(0, text.lastIndexOf('}'))},${JSON.stringify(headersField)}:${JSON.stringify(headers)}}`
}

/** How a run ends. It is cancelled if its event does not fit its trigger. */
export type Ended = End | { readonly status: 'cancelled'; readonly error: StepError }

/** Returns how a run ends that had to decide first, and whose event does not fit. Null for a run that goes on. */
export function endOfUndecided(
  run: Pick<ClaimedRun, 'data' | 'summary'>,
  payload: TriggerPayload,
  { trigger: { when } }: Pick<Workflow, 'trigger'>,
): Ended | null {
  if (when === undefined || summaryOf(run).undecided !== true) return null
  const scope = { payload, steps: noOutputs, headers: headersOf(run.data) }
  try {
    return preparedCondition(when)(eventValues(scope, maxWork), { left: maxWork }) ? null : doesNotFit
  } catch (error) {
    if (error instanceof BudgetSpent) return tooMuchWork
    if (error instanceof RenderedTooLarge)
      return failed(
        'input_too_large',
        'The values of the trigger’s condition are larger than 1 MiB together.',
      )
    if (!(error instanceof InvalidVariable)) throw error
    return failed('invalid_variable', `${error.message} It is in the condition of the trigger.`)
  }
}

const doesNotFit: Ended & { readonly error: { readonly code: RunErrorCode } } = {
  status: 'cancelled',
  error: { code: 'does_not_fit', message: 'The event does not fit the condition of the trigger.' },
}

function headersOf(data: string): Readonly<Record<string, string>> {
  const root = readJson(data)
  const headers = root instanceof InvalidJson || !isObject(root) ? undefined : root[headersField]
  return isObject(headers)
    ? Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
    : {}
}

/** Returns a test of a trigger with a condition, and whether its event fits. @param data the body of an event. */
export function withCondition(
  workflow: Pick<Workflow, 'trigger'>,
  { data, connectionId }: Pick<ClaimedRun, 'data' | 'connectionId'>,
  headers: Scope['headers'],
  summary: RunSummary,
): Pick<ClaimedRun, 'data' | 'summary'> {
  const payload = payloadOf(data, connectionId)
  if (workflow.trigger.when === undefined || payload === null) return { data, summary: summaryText(summary) }
  const run = {
    data: withHeaders(data, headers),
    summary: summaryText({ ...summary, undecided: true }),
  }
  const end = endOfUndecided(run, payload, workflow)
  if (end?.status === 'failed') return run
  return { ...run, summary: summaryText({ ...summary, undecided: true, fits: end === null }) }
}
