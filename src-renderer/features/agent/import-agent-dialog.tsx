import { Button, FileButton } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { skipToken, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { api, client } from '../../client/client.ts'
import { problemOf } from '../../client/problem.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { formatCount } from '../../ui/format.ts'
import { JsonEditor } from '../../ui/json-editor.tsx'
import { Note } from '../../ui/note.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'
import { useFileDrop } from '../imports/import-drop-target.tsx'
import { useImportIntake } from '../imports/use-import-intake.ts'
import type { Scope } from './use-agent.ts'

const typingPauseMs = 300

/** The height of the dialog without the editor, and of one of its lines. */
const elsewherePx = 330
const linePx = 19

/** Imports a document into an agent: a file, or a text that is pasted or typed. Shows its problems before. */
export default function ImportAgentDialog(props: { readonly scope: Scope; readonly onClose: () => void }) {
  const { scope, onClose } = props
  const [text, setText] = useState('')
  const [checked] = useDebouncedValue(text, typingPauseMs)
  const queries = useQueryClient()
  const reset = useRef<() => void>(null)
  const isBlank = text.trim() === ''
  const preview = useQuery({
    queryKey: ['agent-import', scope, checked],
    queryFn:
      checked.trim() === ''
        ? skipToken
        : () => client.platform.import({ query: { ...scope, dryRun: true }, body: { text: checked } }),
    gcTime: 0,
  })
  const run = useMutation({
    mutationFn: () => client.platform.import({ query: scope, body: { text } }),
    async onSuccess({ shapes }) {
      await queries.invalidateQueries({ queryKey: api.platform.key() })
      onClose()
      toastDone(`Agent “${scope.agentId}” imported`, `${formatCount(shapes.length, 'shape')} set.`)
    },
    onError: error => toastProblem('The agent was not imported', error),
  })
  const intake = useImportIntake({ isBlank, isOpen: true, files: undefined, onText: setText })
  useFileDrop(dropped => void intake.takeFiles(dropped))
  const isCurrent = checked === text && !preview.isFetching
  const found = isBlank || !isCurrent ? undefined : preview.data
  const problem = isBlank || !isCurrent || preview.error === null ? null : problemOf(preview.error)
  const issues = found?.warnings ?? problem?.issues ?? []
  const isDisabled = found === undefined || found.shapes.length === 0
  const submit = () => {
    if (!isDisabled && !run.isPending) run.mutate()
  }
  useShortcut({ keys: 'mod+enter', label: 'Import', group: 'Dialog' }, submit, { whileTyping: true })
  const lines = Math.max(6, Math.min(20, Math.floor((window.innerHeight - elsewherePx) / linePx)))
  return (
    <FormDialog
      title={`Import into the agent ${scope.agentId}`}
      size={720}
      submitLabel="Import agent"
      keys="mod+enter"
      enterSubmits={false}
      isDisabled={isDisabled}
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
        Choose, drop or paste an exported agent. It replaces the shapes that it contains; the others stay.
      </p>
      <JsonEditor
        label="Agent to import"
        value={text}
        onChange={setText}
        problems={issues.map(({ severity = 'error', ...issue }) => ({ ...issue, severity }))}
        minLines={6}
        maxLines={lines}
        autoFocus
      />
      {intake.refusal !== null && <Note tone="bad">{intake.refusal}</Note>}
      {found !== undefined && (
        <Note tone={found.shapes.length === 0 ? 'warn' : 'ok'}>
          {found.shapes.length === 0
            ? 'This document has no shape of an agent.'
            : `It sets ${found.shapes.join(', ')}.`}
          {found.warnings.length > 0 &&
            ` ${formatCount(found.warnings.length, 'field')} unknown here: kept for an export.`}
        </Note>
      )}
      {problem !== null && problem.issues.length === 0 && <Note tone="bad">{problem.message}</Note>}
    </FormDialog>
  )
}
