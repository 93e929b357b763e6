import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { AgentId } from '#shared/model/platform/parts.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useAgent } from './use-agent.ts'

/** Names a new agent and opens it. It is stored when one of its pages is saved. */
export function NewAgentDialog({ onClose }: { readonly onClose: () => void }) {
  const { open } = useAgent()
  const [agentId, setAgentId] = useState('')
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
      <TextInput
        label="Agent ID"
        description="The agent starts with default settings. It is created when you save one of its pages."
        classNames={{ input: 'mono' }}
        value={agentId}
        onChange={event => setAgentId(event.currentTarget.value)}
        error={isAttempted && error}
        data-autofocus
      />
    </FormDialog>
  )
}
