import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { AgentId } from '#shared/model/platform/parts.ts'
import { useStoredFields } from '../../ui/draft/use-stored-fields.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useAgent } from './use-agent.ts'

/** Names a new agent and opens it. It is stored when one of its pages is saved. */
export function NewAgentDialog({ onClose }: { readonly onClose: () => void }) {
  const { open, scope } = useAgent()
  const storedAs = `new-agent/${scope?.workspaceId}`
  const { values, change, note } = useStoredFields(storedAs, { agentId: 'agent ID' }, { agentId: '' })
  const { agentId } = values
  const [isAttempted, setIsAttempted] = useState(false)
  const error = AgentId.safeParse(agentId).error?.issues[0]?.message
  return (
    <FormDialog
      title="New agent"
      submitLabel="Open agent"
      onSubmit={() => {
        setIsAttempted(true)
        if (error !== undefined) return
        onClose()
        open(agentId)
      }}
      onClose={onClose}
    >
      {note}
      <TextInput
        label="Agent ID"
        description="The agent starts with default settings. It is created when you save one of its pages."
        classNames={{ input: 'mono' }}
        value={agentId}
        onChange={event => change({ agentId: event.currentTarget.value })}
        error={isAttempted && error}
        data-autofocus
      />
    </FormDialog>
  )
}
