import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Workflow } from '#shared/model/workflow.ts'
import { api, client } from '../../../client/client.ts'
import { queries } from '../../../client/query-client.ts'
import { useWorkspace } from '../../../entities/workspace/current-workspace.tsx'
import { confirmDialog } from '../../../ui/confirm-dialog.tsx'
import { useIsMounted, wantNext } from '../../../ui/focus.ts'
import { problemOf } from '../../../ui/problem.ts'
import { toastDone, toastProblem } from '../../../ui/toasts.tsx'
import { useDeleteWorkflow } from '../use-update-workflow.ts'
import { deletionInWords } from '../workflow-menu.tsx'
import type { DraftForm } from './use-workflow-draft.ts'

type SaveOptions = {
  /** Whether the user is leaving, so the address must not change. */
  readonly leaving?: boolean
  /** Called with a new workflow's id before its own editor replaces this one. */
  readonly beforeOpening?: (workflowId: string) => void
}

/** Saves and deletes a workflow. @param options.isEnabled whether a new one is created enabled. */
export function useSaveWorkflow(options: {
  readonly saved: Workflow | null
  readonly form: DraftForm
  readonly isEnabled: boolean
}) {
  const { saved, form, isEnabled } = options
  const navigate = useNavigate()
  const { workspace } = useWorkspace()
  const isMounted = useIsMounted()
  const keyOf = (workflowId: string) => api.workflows.get.queryKey({ input: { workflowId } })
  const discard = useDeleteWorkflow(() => {
    void navigate({ to: '/workflows', ignoreBlocker: true })
    queries.removeQueries({ queryKey: keyOf(saved?.workflowId ?? '') })
  })
  const [isSaving, setIsSaving] = useState(false)
  const refresh = () => void queries.invalidateQueries({ queryKey: api.workflows.key() })

  /** @returns the id of the saved workflow; null if it was not saved, which a toast explains. */
  async function save({ leaving = false, beforeOpening }: SaveOptions = {}): Promise<string | null> {
    if (isSaving) return null
    setIsSaving(true)
    const sent = form.draft
    try {
      if (saved === null) {
        const workspaceId = workspace?.workspaceId
        const created = await client.workflows.create({ ...sent, enabled: isEnabled, workspaceId })
        queries.setQueryData(keyOf(created.workflowId), created)
        toastDone(
          `Workflow “${created.name}” created`,
          isEnabled ? undefined : 'It is disabled until you enable it.',
        )
        if (isMounted() && !leaving) {
          beforeOpening?.(created.workflowId)
          wantNext()
          void navigate({
            to: '/workflows/$workflowId',
            params: { workflowId: created.workflowId },
            replace: true,
            ignoreBlocker: true,
          })
        }
        refresh()
        return created.workflowId
      }
      const { workflowId } = saved
      const now = await client.workflows.update({
        ...{ workflowId, ...form.change },
        ifUpdatedAt: form.base?.updatedAt,
      })
      form.accept(sent, now)
      queries.setQueryData(keyOf(workflowId), now)
      refresh()
      return workflowId
    } catch (error) {
      if (saved !== null && problemOf(error).code === 'changed_meanwhile') {
        // With the other version at hand, the editor adds its changes to the draft or shows the conflict.
        await queries.refetchQueries({ queryKey: keyOf(saved.workflowId) })
        toastProblem('The workflow was not saved', error)
      } else toastProblem('The workflow was not saved', error, () => void save({ leaving }))
      return null
    } finally {
      setIsSaving(false)
    }
  }

  function remove(): void {
    if (saved === null) return
    confirmDialog({
      title: `Delete ${saved.name}?`,
      children: deletionInWords({ figures: undefined }),
      confirm: 'Delete workflow',
      onConfirm: () => discard.mutate(saved),
    })
  }

  return { isSaving, save, remove }
}
