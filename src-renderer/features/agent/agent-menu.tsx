import { Menu } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { MoreMenu } from '../../ui/more-menu.tsx'
import { NewAgentDialog } from './new-agent-dialog.tsx'
import type { Scope } from './use-agent.ts'

/** What can be done with the whole agent. */
export function AgentMenu({ scope }: { readonly scope: Scope }) {
  const [isNaming, setIsNaming] = useState(false)
  return (
    <>
      <MoreMenu name={`agent ${scope.agentId}`} width={200}>
        <Menu.Item leftSection={<Plus />} onClick={() => setIsNaming(true)}>
          New agent
        </Menu.Item>
      </MoreMenu>
      {isNaming && <NewAgentDialog onClose={() => setIsNaming(false)} />}
    </>
  )
}
