import { useMutation } from '@tanstack/react-query'
import type { Action, ActionFields } from '#shared/model/action.ts'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { copyWithToast } from '../../ui/copy-with-toast.ts'
import { useIsMounted, wantNext } from '../../ui/focus.ts'
import { problemOf } from '../../ui/problem.ts'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'
import { useUndo } from '../../ui/undo.tsx'
import { copyOf } from './copy-of.ts'
import { useActionPlace } from './use-action-place.ts'

type Switch = {
  readonly actionId: string
  readonly isEnabled: boolean
  /** Called when the service has answered, before the list is refetched. */
  readonly onSaved?: () => void
}

/** Returns the commands on a saved action, for its row and for its editor. */
export function useActionCommands(connectionId: string) {
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
      // While the service does not answer, a refetch would not restore the list.
      return () => queries.setQueryData(listKey, before)
    },
    onSuccess: (_saved, { onSaved }) => onSaved?.(),
    onError(error, _change, goBack) {
      goBack?.()
      toastProblem('The action could not be enabled or disabled', error)
    },
    onSettled: refresh,
  })

  /** Enables or disables an action from the keyboard, says so, and offers to undo it. */
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

  /** Shows an action in the list before the list is refetched. */
  function show(action: Action): void {
    queries.setQueryData(listKey, rows =>
      rows?.some(row => row.actionId === action.actionId) === true
        ? rows.map(row => (row.actionId === action.actionId ? action : row))
        : rows && [...rows, action],
    )
    void refresh()
  }

  /** Creates an action. Without a tool name, the service makes one from the name. */
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
      toastProblem(`Action “${action.name}” was not deleted`, error, () => void remove(action))
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

  async function duplicate(action: Action): Promise<void> {
    const toolNames = queries.getQueryData(listKey)?.map(({ toolName }) => toolName)
    try {
      const copy = await create(copyOf(action, new Set(toolNames)))
      if (isMounted()) {
        wantNext()
        place.open(copy.actionId, 'definition')
      }
      toastDone(`Action “${copy.name}” created`, 'It is disabled until you enable it.')
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
