import { useRef, useState } from 'react'
import { type CheckId, type ReceiverCheck, verdictOf } from '#shared/model/receiver-check.ts'
import { client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { useCommand } from '../../ui/use-command.ts'

/** The calls that are sent: their arguments as JSON, and whether those that are accepted are among them. */
export type Asked = { readonly argumentsText: string; readonly allowEffects: boolean }

/** The last outcome of a check, which is kept while the page is open. */
export type Outcome = Asked & { readonly check: ReceiverCheck; readonly at: string }

/** Makes the receiver check of an action, one at a time. */
export function useReceiverCheck(actionId: string) {
  const { connectionId } = useCurrentConnection()
  const key = ['session', 'receiver-check', actionId]
  const [outcome, setOutcome] = useState(() => queries.getQueryData<Outcome>(key) ?? null)
  const inFlight = useRef<AbortController | null>(null)

  function keep(next: Outcome): void {
    setOutcome(next)
    queries.setQueryData<Outcome>(key, next)
  }

  const command = useCommand(
    async ({ argumentsText, allowEffects, ids }: Asked & { readonly ids?: CheckId[] }) => {
      const asked = { argumentsText, allowEffects }
      const cancel = new AbortController()
      inFlight.current = cancel
      try {
        const input = { connectionId, actionId, ...asked, ...(ids && { checks: ids }) }
        const check = await client.actions.check(input, { signal: cancel.signal })
        const before = ids === undefined ? null : outcome
        keep({
          ...asked,
          check: before === null ? check : merged(before.check, check),
          at: new Date().toISOString(),
        })
        return check
      } catch (error) {
        if (!cancel.signal.aborted) throw error
        return null
      } finally {
        inFlight.current = null
      }
    },
    'The receiver could not be checked',
  )
  return {
    outcome,
    isPending: command.isPending,
    /** Sends all calls, or those of the given checks with the arguments of the last time. */
    fire: (asked: Asked, ids?: CheckId[]) => command.mutateAsync({ ...asked, ...(ids && { ids }) }),
    /** Stops after the call that is under way. */
    cancel: () => inFlight.current?.abort(),
  }
}

/** Returns the checks of before with those that were made again. */
function merged(before: ReceiverCheck, check: ReceiverCheck): ReceiverCheck {
  const again = new Map(check.checks.map(one => [one.id, one]))
  const checks = before.checks.map(one => again.get(one.id) ?? one)
  return { checks, verdict: verdictOf(checks.map(({ verdict }) => verdict)) }
}
