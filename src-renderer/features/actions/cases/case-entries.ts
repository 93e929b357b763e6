import { ListChecks, Play, Save } from 'lucide-react'
import type { Action } from '#shared/model/action.ts'
import { useCurrentConnection } from '../../../entities/connection/current-connection.tsx'
import type { MenuEntry } from '../../../ui/more-menu.tsx'
import type { ActionRow } from '../select-actions.ts'
import { runCases, useProgress } from './case-runs.ts'
import { confirmChanges } from './confirm-changes.tsx'
import type { Cases } from './use-cases.ts'

/** Returns a function that runs the cases of an action, or of all for null, in the order of the actions. */
export function useRunCases(cases: Cases, actions: readonly ActionRow[]): (actionId: string | null) => void {
  const connection = useCurrentConnection()
  return only =>
    confirmChanges(
      connection,
      actions
        .filter(({ actionId }) => only === null || actionId === only)
        .flatMap(({ actionId, method, toolName }) =>
          cases.of(actionId).map(one => ({ ...one, method, toolName })),
        ),
      chosen => void runCases(connection.connectionId, chosen),
    )
}

/** Returns what the menu of an action, and so the palette, does with its cases and those of the connection. */
export function useCaseEntries(props: {
  /** Null for a new action. */
  readonly action: Action | null
  readonly actions: readonly ActionRow[]
  readonly cases: Cases
  /** Keeps the test that is shown as a case; null without an answer. */
  readonly onSave: (() => void) | null
}): readonly MenuEntry[] {
  const { action, actions, cases, onSave } = props
  const { connectionId } = useCurrentConnection()
  const isBusy = useProgress(connectionId) !== null
  const run = useRunCases(cases, actions)
  if (action === null) return []
  const { actionId } = action
  return [
    ...(onSave === null
      ? []
      : [{ icon: Save, label: 'Save as case', keys: 'mod+shift+s', also: 'keep test', run: onSave }]),
    ...(cases.of(actionId).length === 0
      ? []
      : [
          {
            icon: Play,
            label: 'Run its cases',
            also: 'test check',
            isWriting: true as const,
            isOff: isBusy,
            run: () => run(actionId),
          },
        ]),
    ...(cases.all.length === 0
      ? []
      : [
          {
            ...{
              icon: ListChecks,
              label: 'Run the cases of this connection',
              also: 'test check all',
              isWriting: true as const,
            },
            ...{ isOff: isBusy, run: () => run(null) },
          },
        ]),
  ]
}
