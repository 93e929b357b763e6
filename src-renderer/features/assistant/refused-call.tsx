import { Button } from '@mantine/core'
import { modals } from '@mantine/modals'
import { RotateCcw } from 'lucide-react'
import type { AssistantCall } from '#shared/model/assistant.ts'
import { exactArguments } from '../../client/exact-arguments.ts'
import { JsonBlock } from '../../ui/code-block.tsx'
import { Fact } from '../../ui/fact.tsx'
import { formatExact } from '../../ui/format.ts'
import { Note } from '../../ui/note.tsx'
import { ToolName } from '../../ui/tool-name.tsx'

/** Says why a call was refused before anything was sent. */
export function RefusedCall(props: {
  readonly call: AssistantCall
  /** Null if the action does not exist. */
  readonly onRerun: (() => void) | null
}) {
  const { call, onRerun } = props
  const { at, source, clientName, tokenName, name, code, reason } = call
  const given = JSON.stringify(exactArguments(call), null, 2)
  return (
    <div className="stack" style={{ gap: 12 }}>
      <Note tone="warn">
        {reason ?? 'The call was refused.'} <code className="t2 xs">{code}</code>
      </Note>
      <dl className="sm facts">
        <Fact name="Tool">
          <ToolName name={name} hasCopy />
        </Fact>
        <Fact name="Client">
          {source === 'conversation'
            ? 'Conversation'
            : [clientName ?? 'Unnamed client', tokenName ?? 'no client token'].join(' · ')}
        </Fact>
        <dt>At</dt>
        <dd className="num">{formatExact(at)}</dd>
      </dl>
      <JsonBlock text={given} label="Arguments" copyText={given} wrap />
      {onRerun !== null && (
        <div>
          <Button
            leftSection={<RotateCcw />}
            onClick={() => {
              modals.closeAll()
              onRerun()
            }}
          >
            Rerun with edited arguments
          </Button>
        </div>
      )}
    </div>
  )
}
