import { shownValue } from '#shared/cases/words.ts'
import type { Case, CaseDifference } from '#shared/model/case.ts'
import { api, client } from '../../../client/client.ts'
import { queries } from '../../../client/query-client.ts'
import { toastDone, toastProblem } from '../../../ui/toasts.tsx'
import { useUndo } from '../../../ui/undo.tsx'
import { freeName } from './case-draft.ts'
import { inputOf, rulesOf } from './case-rows.ts'

/** Reads the cases again. */
export const refreshCases = () => queries.invalidateQueries({ queryKey: api.cases.key() })

/** Returns the commands on a case. */
export function useCaseCommands(connectionId: string, onCreated: (caseId: string) => void) {
  const offerUndo = useUndo()

  /** Makes what the newest answer had the value of the rule that it differs from. */
  async function expect(one: Case, difference: CaseDifference, valueText: string): Promise<void> {
    const { actionId, caseId, updatedAt, name } = one
    const { expect: before } = inputOf(one)
    const index = rulesOf(one).findIndex(
      ({ path, rule, valueText: value }) =>
        path === difference.path && rule === difference.rule && value !== valueText,
    )
    const at = before.status === null ? index : index - 1
    const next =
      difference.path === '$status' && before.status !== null && index === 0
        ? { ...before, status: Number(valueText) }
        : {
            ...before,
            fields: before.fields.map((field, place) => (place === at ? { ...field, valueText } : field)),
          }
    try {
      await client.cases.update({ connectionId, actionId, caseId, ifUpdatedAt: updatedAt, expect: next })
      toastDone(`Case “${name}” expects ${shownValue(difference.actual)}`, 'Run it again to see it pass.')
    } catch (error) {
      toastProblem(`Case “${name}” was not changed`, error)
    }
    await refreshCases()
  }

  async function remove(one: Case): Promise<void> {
    const { actionId, caseId, name } = one
    try {
      await client.cases.remove({ connectionId, actionId, caseId })
    } catch (error) {
      toastProblem(`Case “${name}” was not deleted`, error, () => void remove(one))
      return
    }
    offerUndo({
      done: `Case “${name}” deleted`,
      undone: `Case “${name}” is back`,
      async undo() {
        await client.cases.create({ connectionId, actionId, ...inputOf(one) })
        await refreshCases()
      },
    })
    await refreshCases()
  }

  async function duplicate(one: Case): Promise<void> {
    const { actionId, name } = one
    const all = queries.getQueryData(api.cases.all.queryKey({ input: { connectionId } })) ?? []
    const taken = new Set(all.filter(other => other.actionId === actionId).map(other => other.name))
    try {
      const copy = await client.cases.create({
        connectionId,
        actionId,
        ...inputOf(one),
        name: freeName(name, taken),
      })
      await refreshCases()
      onCreated(copy.caseId)
    } catch (error) {
      toastProblem(`Case “${name}” was not duplicated`, error)
    }
  }

  return { expect, remove, duplicate }
}

export type CaseCommands = ReturnType<typeof useCaseCommands>
