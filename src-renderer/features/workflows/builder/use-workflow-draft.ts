import { useNavigate } from '@tanstack/react-router'
import type { Workflow } from '#shared/model/workflow.ts'
import { CheckedWorkflow } from '#shared/model/workflow.ts'
import { api, client } from '../../../client/client.ts'
import { queries } from '../../../client/query-client.ts'
import { calledConnections } from '../../../entities/action/use-actions.ts'
import { useConnectionsById } from '../../../entities/connection/use-connections.ts'
import { useWorkspace } from '../../../entities/workspace/current-workspace.tsx'
import { confirmDialog } from '../../../ui/confirm-dialog.tsx'
import { pick } from '../../../ui/draft/draft.ts'
import { type DraftOptions, useDraft } from '../../../ui/draft/use-draft.tsx'
import { wantNext } from '../../../ui/focus.ts'
import { toastDone } from '../../../ui/toasts.tsx'
import { useDeleteWorkflow } from '../use-update-workflow.ts'
import { deletionInWords } from '../workflow-menu.tsx'
import { draftOf, type WorkflowDraft, workflowFields } from './draft.ts'

type Options = Pick<
  DraftOptions<WorkflowDraft, Workflow | null>,
  'check' | 'isBlocked' | 'onDiscard' | 'onNotSaved' | 'staysAt'
> & {
  /** The draft of a new workflow. */
  readonly initial: WorkflowDraft
  /** Whether a new one is created enabled. */
  readonly isEnabled: boolean
}

/** Holds the draft of a workflow with its undo history, saves it, and deletes the workflow. @param saved null for a new one. */
export function useWorkflowDraft(saved: Workflow | null, { initial, isEnabled, ...options }: Options) {
  const navigate = useNavigate()
  const { workspace } = useWorkspace()
  const { trigger, steps } = saved ?? initial
  const connectionOf = useConnectionsById([trigger.connectionId, ...calledConnections(steps)])
  const keyOf = (workflowId: string) => api.workflows.get.queryKey({ input: { workflowId } })
  const toList = () => void navigate({ to: '/workflows', ignoreBlocker: true })
  const discard = useDeleteWorkflow(() => {
    toList()
    queries.removeQueries({ queryKey: keyOf(saved?.workflowId ?? '') })
  })
  const isNew = saved === null

  const form = useDraft<WorkflowDraft, Workflow | null>({
    ...options,
    storedAs: `workflow/${saved?.workflowId ?? `new/${workspace?.workspaceId}`}`,
    fields: workflowFields(id => connectionOf?.(id)?.name ?? id),
    saved,
    draftOf: workflow => (workflow === null ? initial : draftOf(workflow)),
    read: CheckedWorkflow.parse,
    async save(sent, changed, before) {
      const now =
        before === null
          ? await client.workflows.create({
              ...sent,
              enabled: isEnabled,
              workspaceId: workspace?.workspaceId,
            })
          : await client.workflows.update({
              ...{ workflowId: before.workflowId, ifUpdatedAt: before.updatedAt },
              ...pick(sent, changed),
            })
      queries.setQueryData(keyOf(now.workflowId), now)
      if (before === null)
        toastDone(
          `Workflow “${now.name}” created`,
          isEnabled ? undefined : 'It is disabled until you enable it.',
        )
      void queries.invalidateQueries({ queryKey: api.workflows.key() })
      return now
    },
    onSaved({ workflowId }) {
      if (!isNew) return
      wantNext()
      void navigate({
        ...{ to: '/workflows/$workflowId', params: { workflowId } },
        ...{ replace: true, ignoreBlocker: true },
      })
    },
    onDiscard: () => (isNew ? toList() : options.onDiscard?.()),
    name: isNew ? 'the new workflow' : `the workflow ${saved.name}`,
    failed: 'The workflow was not saved',
    unsaved: isNew ? 'Not created yet' : undefined,
    saveLabel: isNew ? 'Create workflow' : 'Save',
    hasUndo: true,
  })

  function remove(): void {
    if (saved === null) return
    confirmDialog({
      title: `Delete ${saved.name}?`,
      children: deletionInWords({ figures: undefined }),
      confirm: 'Delete workflow',
      onConfirm: () => discard.mutate(saved),
    })
  }

  return { ...form, remove }
}
