import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { CopyPlus, Upload } from 'lucide-react'
import type { Workflow } from '#shared/model/workflow.ts'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { copyName, exportFileName } from '../../entities/connection/copy-name.ts'
import { downloadJson } from '../../ui/download.ts'
import { wantNext } from '../../ui/focus.ts'
import type { MenuEntry } from '../../ui/more-menu.tsx'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'
import { useUndo } from '../../ui/undo.tsx'
import { useCommand } from '../../ui/use-command.ts'
import { mayEnable } from './may-enable.tsx'

/**
 * Returns a function that enables or disables a workflow, says what that means, and offers to undo it. It asks before it
 * enables one that has errors.
 *
 * @param options.undoKeys false where the undo shortcut belongs to something else.
 */
export function useSwitchWorkflow({ undoKeys = true }: { readonly undoKeys?: boolean } = {}) {
  const offerUndo = useUndo()
  const refresh = () => queries.invalidateQueries({ queryKey: api.workflows.key() })
  const { mutate } = useMutation(
    api.workflows.update.mutationOptions({
      onMutate({ workflowId, enabled }) {
        if (enabled === undefined) return
        const listed = { queryKey: api.workflows.list.key() }
        const key = api.workflows.get.queryKey({ input: { workflowId } })
        const before = { lists: queries.getQueriesData(listed), workflow: queries.getQueryData(key) }
        queries.setQueriesData<Switchable[]>(listed, rows =>
          rows?.map(row => (row.workflowId === workflowId ? { ...row, enabled } : row)),
        )
        queries.setQueryData(key, workflow => workflow && { ...workflow, enabled })
        // While the service does not answer, a refetch would not restore them.
        return () => {
          for (const [queryKey, rows] of before.lists) queries.setQueryData(queryKey, rows)
          queries.setQueryData(key, before.workflow)
        }
      },
      onSuccess(workflow) {
        const { workflowId, name, enabled } = workflow
        queries.setQueryData(api.workflows.get.queryKey({ input: { workflowId } }), workflow)
        offerUndo({
          of: workflowId,
          hasKeys: undoKeys,
          done: outcome(name, enabled),
          undone: outcome(name, !enabled),
          async undo() {
            await client.workflows.update({ workflowId, enabled: !enabled })
            await refresh()
          },
        })
      },
      onError(error, _change, goBack) {
        goBack?.()
        toastProblem('The workflow could not be enabled or disabled', error)
      },
      onSettled: refresh,
    }),
  )
  return async (workflowId: string, enabled: boolean) => {
    try {
      // Read again, because an action or a connection may have gone since.
      const workflow = enabled ? await client.workflows.get({ workflowId }) : null
      if (workflow !== null && !(await mayEnable(workflow.name, workflow.issues))) return
      mutate({ workflowId, enabled })
    } catch (error) {
      toastProblem('The workflow could not be enabled or disabled', error)
    }
  }
}

type Switchable = Pick<Workflow, 'workflowId' | 'enabled'>

const outcome = (name: string, enabled: boolean) =>
  enabled ? `${name} enabled. Events start it.` : `${name} disabled. Events do not start it.`

/** Creates a disabled workflow with the same steps, and opens it. */
function useDuplicateWorkflow() {
  const navigate = useNavigate()
  return useCommand(
    async ({ name, workspaceId, trigger, steps, ordered, concurrency }: Workflow) => {
      const taken = (await client.workflows.list({ workspaceId })).map(workflow => workflow.name)
      const copy = { workspaceId, trigger, steps, ordered, concurrency }
      return client.workflows.create({ ...copy, name: copyName(name, taken), enabled: false })
    },
    'The workflow was not duplicated',
    async ({ name, workflowId }) => {
      await queries.invalidateQueries({ queryKey: api.workflows.key() })
      toastDone(`Workflow “${name}” created`, 'It is disabled.')
      wantNext()
      void navigate({ to: '/workflows/$workflowId', params: { workflowId } })
    },
  )
}

/** Downloads a workflow as a document named after it. */
async function exportWorkflow({ workflowId, name }: Pick<Workflow, 'workflowId' | 'name'>): Promise<void> {
  try {
    downloadJson(exportFileName(name), await client.workflows.export({ workflowId }))
    toastDone(`Workflow “${name}” exported`, 'The file names connections and actions.')
  } catch (error) {
    toastProblem('The workflow was not exported', error)
  }
}

/** Deletes a workflow for good. */
/** Returns a function that returns what every menu of a workflow does. */
export function useWorkflowEntries() {
  const duplicate = useDuplicateWorkflow()
  return (workflow: Workflow): readonly MenuEntry[] => [
    {
      ...{ icon: Upload, label: 'Export as JSON', also: 'save backup download workflow', isRuled: true },
      run: () => void exportWorkflow(workflow),
    },
    {
      ...{ icon: CopyPlus, label: 'Duplicate', also: 'copy clone workflow', isWriting: true },
      run: () => duplicate.mutate(workflow),
    },
  ]
}

export function useDeleteWorkflow(onDeleted: () => void) {
  return useCommand(
    ({ workflowId }: Pick<Workflow, 'workflowId' | 'name'>) => client.workflows.remove({ workflowId }),
    ({ name }) => `Workflow “${name}” was not deleted`,
    async (_deleted, { name }) => {
      onDeleted()
      await queries.invalidateQueries({ queryKey: api.workflows.key() })
      toastDone(`Workflow “${name}” deleted`)
    },
  )
}
