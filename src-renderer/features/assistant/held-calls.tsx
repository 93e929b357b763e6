import type { Approval } from '#shared/model/assistant.ts'
import { exactArguments } from '../../client/exact-arguments.ts'
import { Method } from '../../ui/badges.tsx'
import { JsonBlock } from '../../ui/code-block.tsx'
import { useTransientFocus } from '../../ui/focus.ts'
import { formatCountdown } from '../../ui/format.ts'
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
  return (
    <div className={classes.heldArguments}>
      <JsonBlock text={JSON.stringify(exactArguments(approval), null, 2)} label="Arguments" wrap />
    </div>
  )
}

/** Says how long a call waits for its decision. */
export function TimeLeft({ expiresAt }: Pick<Approval, 'expiresAt'>) {
  return useDerivedNow(now => {
    const leftMs = Date.parse(expiresAt) - now
    return leftMs > 0 ? `expires in ${formatCountdown(leftMs)}` : 'too late'
  })
}
