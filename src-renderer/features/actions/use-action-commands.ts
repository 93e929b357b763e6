import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Action, ActionFields } from '#shared/model/action.ts'
import { api, client } from '../../client/client.ts'
import { problemOf } from '../../client/problem.ts'
import { copyWithToast } from '../../ui/copy-with-toast.ts'
import { useIsMounted } from '../../ui/focus.ts'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'
import { useUndo } from '../../ui/undo.tsx'
import { copyOf } from './copy-of.ts'
import { useActionPlace } from './use-action-place.ts'

type Switch = {
  readonly actionId: string
  readonly isEnabled: boolean
  /** Called as soon as the service has answered, before the list is read again. */
  readonly onSaved?: () => void
}

/** What can be done with a saved action, from its row and from its editor alike. */
export function useActionCommands(connectionId: string) {
  const queries = useQueryClient()
  const offerUndo = useUndo()
  const place = useActionPlace()
  const isMounted = useIsMounted()
  const listKey = api.actions.list.queryKey({ input: { connectionId } })

  const refresh = async () => {
    await queries.invalidateQueries({ queryKey: api.actions.key() })
    await queries.invalidateQueries({ queryKey: api.connections.key() })
  }
  const setEnabled = useMutation({
    mutationFn: ({ actionId, isEnabled }: Switch) =>
      client.actions.update({ connectionId, actionId, isEnabled }),
    onMutate({ actionId, isEnabled }) {
      const before = queries.getQueryData(listKey)
      queries.setQueryData(listKey, rows =>
        rows?.map(row => (row.actionId === actionId ? { ...row, isEnabled } : row)),
      )
      // A refetch brings nothing back while the service does not answer.
      return () => queries.setQueryData(listKey, before)
    },
    onSuccess: (_saved, { onSaved }) => onSaved?.(),
    onError(error, _change, goBack) {
      goBack?.()
      toastProblem('The action could not be switched', error)
    },
    onSettled: refresh,
  })

  /** Enables or disables an action from the keyboard: says so, and offers to undo it. */
  function toggle({ actionId, name, isEnabled }: Action): void {
    const outcome = (enabled: boolean) =>
      enabled
        ? `${name} enabled. The assistant can call it.`
        : `${name} disabled. The assistant can’t call it.`
    const offer = () =>
      offerUndo({
        of: actionId,
        done: outcome(!isEnabled),
        undone: outcome(isEnabled),
        async undo() {
          await client.actions.update({ connectionId, actionId, isEnabled })
          await refresh()
        },
      })
    setEnabled.mutate({ actionId, isEnabled: !isEnabled, onSaved: offer })
  }

  /** Shows an action in the list before the list has been asked for again. */
  function show(action: Action): void {
    queries.setQueryData(listKey, rows =>
      rows?.some(row => row.actionId === action.actionId) === true
        ? rows.map(row => (row.actionId === action.actionId ? action : row))
        : rows && [...rows, action],
    )
    void refresh()
  }

  /** @param fields without a tool name it is made from the name. */
  async function create(
    fields: Omit<ActionFields, 'toolName'> & Partial<Pick<ActionFields, 'toolName'>>,
  ): Promise<Action> {
    const { warnings: _, ...action } = await client.actions.create({ connectionId, ...fields })
    show(action)
    return action
  }

  /** Restores a deleted action. After a restart the service no longer has it, so it is created again. */
  async function bringBack(actionId: string, fields: ActionFields): Promise<void> {
    try {
      await client.actions.restore({ connectionId, actionId })
      await refresh()
    } catch (error) {
      if (problemOf(error).code !== 'action_not_found') throw error
      await create(fields)
    }
  }

  async function remove(action: Action): Promise<void> {
    const { actionId, createdAt: _, updatedAt: __, ...fields } = action
    if (place.actionId === actionId) place.goTo(null)
    try {
      await client.actions.remove({ connectionId, actionId })
    } catch (error) {
      toastProblem(`Action “${action.name}” was not deleted`, error, [
        { label: 'Try again', run: () => void remove(action) },
      ])
      return
    }
    queries.setQueryData(listKey, rows => rows?.filter(row => row.actionId !== actionId))
    offerUndo({
      done: `Action “${action.name}” deleted`,
      undone: `Action “${action.name}” is back`,
      undo: () => bringBack(action.actionId, fields),
    })
    void refresh()
  }

  async function duplicate(action: Action, all: readonly Action[]): Promise<void> {
    try {
      const copy = await create(copyOf(action, new Set(all.map(({ toolName }) => toolName))))
      if (isMounted()) place.open(copy.actionId, 'definition')
      toastDone(`Action “${copy.name}” created`, 'It is switched off until you enable it.')
    } catch (error) {
      toastProblem(`Action “${action.name}” was not duplicated`, error)
    }
  }

  return {
    setEnabled: (actionId: string, isEnabled: boolean) => setEnabled.mutate({ actionId, isEnabled }),
    toggle,
    create,
    show,
    remove,
    duplicate,
    copyToolName: (toolName: string) => copyWithToast(toolName, 'Tool name'),
  }
}

export type ActionCommands = ReturnType<typeof useActionCommands>
