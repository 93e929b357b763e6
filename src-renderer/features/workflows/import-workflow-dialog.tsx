import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { JsonImportDialog } from '../../entities/import-document/json-import-dialog.tsx'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { wantNext } from '../../ui/focus.ts'
import { formatCount } from '../../ui/format.ts'
import { problemOf } from '../../ui/problem.ts'
import { toastDone } from '../../ui/toasts.tsx'
import { useFormCommand } from '../../ui/use-command.ts'

/** Creates a workflow from an export: a file, or a text that is pasted or typed. */
export default function ImportWorkflowDialog(props: {
  readonly files: readonly File[] | undefined
  readonly onClose: () => void
}) {
  const { files, onClose } = props
  const [text, setText] = useState('')
  const { workspace } = useWorkspace()
  const navigate = useNavigate()
  const run = useFormCommand(
    () => client.workflows.import({ text, workspaceId: workspace?.workspaceId }),
    'The workflow was not imported',
    async ({ workflow: { workflowId, name, enabled }, warnings }) => {
      await queries.invalidateQueries({ queryKey: api.workflows.key() })
      onClose()
      toastDone(
        `Workflow “${name}” imported`,
        warnings.length > 0
          ? `${formatCount(warnings.length, 'remark')}: ${warnings[0]?.message}`
          : enabled
            ? 'It is enabled.'
            : 'It is disabled.',
      )
      wantNext()
      void navigate({ to: '/workflows/$workflowId', params: { workflowId } })
    },
  )
  function change(next: string): void {
    setText(next)
    if (run.isError) run.reset()
  }
  return (
    <JsonImportDialog
      title="Import a workflow"
      submitLabel="Import workflow"
      editorLabel="Workflow to import"
      description={
        'Choose, drop or paste an exported workflow. It names its connections and actions. If one of them does ' +
        'not exist in this workspace, the workflow is created disabled.'
      }
      text={text}
      onText={change}
      files={files}
      issues={run.error === null ? [] : problemOf(run.error).issues}
      isDisabled={text.trim() === ''}
      isBusy={run.isPending}
      onSubmit={run.mutate}
      onClose={onClose}
    />
  )
}
