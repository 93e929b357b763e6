import { Button, FileButton } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { api, client } from '../../client/client.ts'
import { problemOf } from '../../client/problem.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { formatCount } from '../../ui/format.ts'
import { JsonEditor } from '../../ui/json-editor.tsx'
import { Note } from '../../ui/note.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { toastDone, toastUnlessInvalid } from '../../ui/toasts.tsx'
import { useFileDrop } from '../imports/import-drop-target.tsx'
import { useImportIntake } from '../imports/use-import-intake.ts'
import { useWorkspace } from '../workspaces/current-workspace.tsx'

/** The height of the dialog without the editor, and of one of its lines. */
const elsewherePx = 300
const linePx = 19

/** Creates a workflow from an export: a file, or a text that is pasted or typed. */
export default function ImportWorkflowDialog(props: {
  readonly files: readonly File[] | undefined
  readonly onClose: () => void
}) {
  const { files, onClose } = props
  const [text, setText] = useState('')
  const { workspace } = useWorkspace()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const reset = useRef<() => void>(null)
  const run = useMutation({
    mutationFn: () => client.workflows.import({ text, workspaceId: workspace?.workspaceId }),
    async onSuccess({ workflow: { workflowId, name, enabled }, warnings }) {
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
      void navigate({ to: '/workflows/$workflowId', params: { workflowId } })
    },
    onError: error => toastUnlessInvalid('The workflow was not imported', error),
  })
  function change(next: string): void {
    setText(next)
    if (run.isError) run.reset()
  }
  const isBlank = text.trim() === ''
  const intake = useImportIntake({ isBlank, isOpen: true, files, onText: change })
  useFileDrop(dropped => void intake.takeFiles(dropped))
  const submit = () => {
    if (!isBlank && !run.isPending) run.mutate()
  }
  useShortcut({ keys: 'mod+enter', label: 'Import', group: 'Dialog' }, submit, { whileTyping: true })
  const issues = run.error === null ? [] : problemOf(run.error).issues
  const lines = Math.max(6, Math.min(20, Math.floor((window.innerHeight - elsewherePx) / linePx)))
  return (
    <FormDialog
      title="Import a workflow"
      size={720}
      submitLabel="Import workflow"
      keys="mod+enter"
      enterSubmits={false}
      isDisabled={isBlank}
      isBusy={run.isPending}
      foot={
        <FileButton
          accept=".json,application/json"
          resetRef={reset}
          inputProps={{ 'aria-label': 'File to import' }}
          onChange={file => {
            if (file !== null) void intake.takeFiles([file])
            // So that the same file can be chosen again.
            reset.current?.()
          }}
        >
          {button => (
            <Button {...button} size="md" style={{ marginRight: 'auto' }}>
              Choose file
            </Button>
          )}
        </FileButton>
      }
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="sm t2">
        Choose, drop or paste an exported workflow. It names its connections and actions. If one of them does
        not exist in this workspace, the workflow is created disabled.
      </p>
      <JsonEditor
        label="Workflow to import"
        value={text}
        onChange={change}
        problems={issues.map(({ severity = 'error', ...issue }) => ({ ...issue, severity }))}
        minLines={6}
        maxLines={lines}
        autoFocus
      />
      {intake.refusal !== null && <Note tone="bad">{intake.refusal}</Note>}
    </FormDialog>
  )
}
