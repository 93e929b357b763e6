import { Button } from '@mantine/core'
import { Download, Plus } from 'lucide-react'
import { useOverlays } from '../../shell/overlays.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { useCurrentConnection } from '../connections/current-connection.tsx'

/** What event types are for, and how to come by the first. */
export function NoEventTypes({ onDeclare }: { readonly onDeclare: () => void }) {
  const { connectionId } = useCurrentConnection()
  const { open } = useOverlays()
  return (
    <EmptyState
      title="No event types declared"
      actions={
        <>
          <Button leftSection={<Plus size={14} aria-hidden="true" />} onClick={onDeclare}>
            Declare an event type
          </Button>
          <Button
            leftSection={<Download size={14} aria-hidden="true" />}
            onClick={() => open({ kind: 'import', request: { connectionId } })}
          >
            Import
          </Button>
        </>
      }
    >
      Every event is accepted, declared or not. A declared one has a label, and a sample payload that tells
      workflows its <code className="inline-code">{'{{variables}}'}</code>.
    </EmptyState>
  )
}
