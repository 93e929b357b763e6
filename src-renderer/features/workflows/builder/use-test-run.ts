import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import { ExactJson } from '#shared/json/exact-json.ts'
import type { CallRecord } from '#shared/model/call.ts'
import type { RunDetails } from '#shared/model/run.ts'
import { api, client } from '../../../client/client.ts'
import { queries } from '../../../client/query-client.ts'
import { asText, exactRun } from '../../../entities/run/exact-run.ts'
import type { WorkflowDraft } from './draft.ts'
import { payloadOf, type SampleEvent } from './sample.ts'

type Tested = Pick<WorkflowDraft, 'trigger' | 'steps'>
/** A test run with the trigger and the steps as they were then. */
export type TestRun = Tested & { readonly run: RunDetails }
type Given = Tested & { readonly event: SampleEvent; readonly dryRun: boolean }

const resultKey = (workflowId: string) => ['session', 'workflow-test', workflowId]
const awaitedKey = (workflowId: string) => ['session', 'workflow-awaited', workflowId]

export type TestRuns = ReturnType<typeof useTestRun>

/** Runs tests of a workflow, one at a time, and keeps the last result while the page is open. */
export function useTestRun(workflowId: string) {
  const [last, setLast] = useState(() => queries.getQueryData<TestRun>(resultKey(workflowId)) ?? null)
  const test = useMutation({
    mutationFn: async ({ event, dryRun, trigger, steps }: Given) => {
      const run = await client.workflows.test({ workflowId, dryRun, ...asText, ...givenBy(event) })
      return { run, trigger, steps }
    },
    onSuccess(result) {
      setLast(result)
      queries.setQueryData(resultKey(workflowId), result)
    },
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: api.runs.key() })
    },
  })
  const runAwaited = useEffectEvent(() => {
    const given = queries.getQueryData<Given>(awaitedKey(workflowId))
    queries.removeQueries({ queryKey: awaitedKey(workflowId) })
    if (given !== undefined) test.mutate(given)
  })
  useEffect(() => runAwaited(), [])
  const shown = useMemo(() => last && { ...last, run: exactRun(last.run) }, [last])
  return {
    last: shown,
    isPending: test.isPending,
    error: test.error,
    run: (given: Given) => test.mutate(given),
    /** Lets the editor of a workflow that was just created run the test. */
    runOnceOpen: (created: string, given: Given) => queries.setQueryData(awaitedKey(created), given),
  }
}

/** Returns the part of a test's input that says with what it runs. Numbers keep their digits. */
function givenBy(event: SampleEvent): { eventId: string } | { payload: Record<string, unknown> } {
  if (event.kind === 'stored') return { eventId: event.id }
  const fields = Object.entries(payloadOf(event) ?? {})
  return {
    payload: Object.fromEntries(fields.map(([name, value]) => [name, new ExactJson(JSON.stringify(value))])),
  }
}

/** Returns a call that a step made; undefined while unknown. */
export function useCall(callId: string | null): CallRecord | undefined {
  const { data } = useQuery(
    api.calls.get.queryOptions({ input: { callId: callId ?? '' }, enabled: callId !== null }),
  )
  return data
}
