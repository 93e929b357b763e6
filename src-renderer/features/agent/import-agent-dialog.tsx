import { useDebouncedValue } from '@mantine/hooks'
import { skipToken, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { JsonImportDialog } from '../../entities/import-document/json-import-dialog.tsx'
import { formatCount } from '../../ui/format.ts'
import { Note } from '../../ui/note.tsx'
import { problemOf } from '../../ui/problem.ts'
import { toastDone } from '../../ui/toasts.tsx'
import { useCommand } from '../../ui/use-command.ts'
import type { Scope } from './use-agent.ts'

const typingPauseMs = 300

/** Imports a document into an agent: a file, or a text that is pasted or typed. Shows its problems before. */
export default function ImportAgentDialog(props: { readonly scope: Scope; readonly onClose: () => void }) {
  const { scope, onClose } = props
  const [text, setText] = useState('')
  const [checked] = useDebouncedValue(text, typingPauseMs)
  const isBlank = text.trim() === ''
  const preview = useQuery({
    queryKey: ['agent-import', scope, checked],
    queryFn:
      checked.trim() === ''
        ? skipToken
        : () => client.platform.import({ query: { ...scope, dryRun: true }, body: { text: checked } }),
    gcTime: 0,
  })
  const run = useCommand(
    () => client.platform.import({ query: scope, body: { text } }),
    'The agent was not imported',
    async ({ shapes }) => {
      await queries.invalidateQueries({ queryKey: api.platform.key() })
      onClose()
      toastDone(`Agent “${scope.agentId}” imported`, `${formatCount(shapes.length, 'shape')} set.`)
    },
  )
  const isCurrent = checked === text && !preview.isFetching
  const found = isBlank || !isCurrent ? undefined : preview.data
  const problem = isBlank || !isCurrent || preview.error === null ? null : problemOf(preview.error)
  const issues = found?.warnings ?? problem?.issues ?? []
  return (
    <JsonImportDialog
      title={`Import into the agent ${scope.agentId}`}
      submitLabel="Import agent"
      editorLabel="Agent to import"
      description="Choose, drop or paste an exported agent. It replaces the pages that it contains. The other pages do not change."
      text={text}
      onText={setText}
      issues={issues}
      isDisabled={found === undefined || found.shapes.length === 0}
      isBusy={run.isPending}
      onSubmit={run.mutate}
      onClose={onClose}
    >
      {found !== undefined && (
        <Note tone={found.shapes.length === 0 ? 'warn' : 'ok'}>
          {found.shapes.length === 0
            ? 'This document contains no page of an agent.'
            : `It sets ${found.shapes.join(', ')}.`}
          {found.warnings.length > 0 &&
            ` ${formatCount(found.warnings.length, 'field')} unknown here: kept for an export.`}
        </Note>
      )}
      {problem !== null && problem.issues.length === 0 && <Note tone="bad">{problem.message}</Note>}
    </JsonImportDialog>
  )
}
