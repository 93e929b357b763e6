import { useMemo, useState } from 'react'
import type { Approval } from '#shared/model/assistant.ts'
import { visibleJson } from '#shared/model/text.ts'
import { exactArguments } from '../../client/exact-arguments.ts'
import { Method } from '../../ui/badges.tsx'
import { CodeBlock, JsonBlock } from '../../ui/code-block.tsx'
import { useTransientFocus } from '../../ui/focus.ts'
import { formatCountdown, formatNumber } from '../../ui/format.ts'
import { ToolName } from '../../ui/tool-name.tsx'
import { useDerivedNow } from '../../ui/use-now.ts'
import { WriteButton } from '../../ui/write-button.tsx'
import classes from './assistant.module.css'
import { callerOf, useApprovals, useDecision } from './use-assistant.ts'

/** The calls that wait until someone allows or declines them, oldest first. */
export function HeldCalls() {
  const { data: approvals = [] } = useApprovals()
  return (
    <div role="status" aria-label="Calls waiting for your decision">
      {approvals.map(approval => (
        <HeldCall key={approval.approvalId} approval={approval} />
      ))}
    </div>
  )
}

function HeldCall({ approval }: { readonly approval: Approval }) {
  const { tokenName, name, method, expiresAt } = approval
  const { isPending, mutate } = useDecision()
  const transient = useTransientFocus()
  return (
    <section className={classes.held} aria-label={`Waiting: ${approval.toolName}`} {...transient}>
      <div className={classes.heldHead}>
        <Method method={method} />
        <span>
          <strong>{callerOf(approval)}</strong> wants to call <ToolName className="w6" name={name} hasCopy />
        </span>
        <span className="push sm t2 num nowrap">
          <TimeLeft expiresAt={expiresAt} />
        </span>
      </div>
      <HeldArguments approval={approval} />
      <div className="row">
        <WriteButton
          variant="filled"
          loading={isPending}
          onClick={() => mutate({ approval, decision: 'allow' })}
        >
          Allow
        </WriteButton>
        <WriteButton disabled={isPending} onClick={() => mutate({ approval, decision: 'decline' })}>
          Decline
        </WriteButton>
        {tokenName !== null && <span className="push sm t3 cut">Token {tokenName}</span>}
      </div>
    </section>
  )
}

/** Shows the arguments of a call that waits. */
export function HeldArguments({ approval }: { readonly approval: Approval }) {
  const text = useMemo(() => visibleJson(JSON.stringify(exactArguments(approval), null, 2)), [approval])
  const [isWhole, setWhole] = useState(false)
  const isCut = !isWhole && text.length > mostShown
  return (
    <>
      <div className={classes.heldArguments}>
        {isCut ? (
          <CodeBlock lines={[[{ text: text.slice(0, mostShown), kind: 'key' }]]} label="Arguments" wrap />
        ) : (
          <JsonBlock text={text} label="Arguments" wrap />
        )}
      </div>
      {isCut && (
        <button type="button" className="link sm" onClick={() => setWhole(true)}>
          Show all {formatNumber(text.length)} characters
        </button>
      )}
    </>
  )
}

/** Characters of arguments that are shown at once: a notice is shown on every screen, and arguments may have millions. */
const mostShown = 20_000

/** Says how long a call waits for its decision. */
export function TimeLeft({ expiresAt }: Pick<Approval, 'expiresAt'>) {
  return useDerivedNow(now => {
    const leftMs = Date.parse(expiresAt) - now
    return leftMs > 0 ? `expires in ${formatCountdown(leftMs)}` : 'too late'
  })
}
