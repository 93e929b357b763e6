import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { Approval, ApprovalDecision } from '#shared/model/assistant.ts'
import { api } from '../../client/client.ts'
import { exactArguments } from '../../client/exact-arguments.ts'
import { queries } from '../../client/query-client.ts'
import { Method } from '../../ui/badges.tsx'
import { JsonBlock } from '../../ui/code-block.tsx'
import { useTransientFocus } from '../../ui/focus.ts'
import { formatCountdown } from '../../ui/format.ts'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'
import { ToolName } from '../../ui/tool-name.tsx'
import { useDerivedNow } from '../../ui/use-now.ts'
import classes from './assistant.module.css'
import { callerOf, useApprovals } from './use-assistant.ts'

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
  const decide = useDecision(approval)
  const transient = useTransientFocus()
  const given = JSON.stringify(exactArguments(approval), null, 2)
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
      <div className={classes.heldArguments}>
        <JsonBlock text={given} label="Arguments" wrap />
      </div>
      <div className="row">
        <Button variant="filled" loading={decide.isPending} onClick={() => decide.mutate('allow')}>
          Allow
        </Button>
        <Button disabled={decide.isPending} onClick={() => decide.mutate('decline')}>
          Decline
        </Button>
        {tokenName !== null && <span className="push sm t3 cut">Token {tokenName}</span>}
      </div>
    </section>
  )
}

/** Says how long a call waits for its decision. */
function TimeLeft({ expiresAt }: Pick<Approval, 'expiresAt'>) {
  return useDerivedNow(now => {
    const leftMs = Date.parse(expiresAt) - now
    return leftMs > 0 ? `expires in ${formatCountdown(leftMs)}` : 'too late'
  })
}

/** Returns the mutation that allows or declines a held call. */
function useDecision({ approvalId, name }: Approval) {
  return useMutation({
    mutationFn: (decision: ApprovalDecision) => api.assistant.decide.call({ approvalId, decision }),
    onSuccess: (_approval, decision) =>
      toastDone(decision === 'allow' ? `${name} allowed` : `${name} declined`),
    onError: error => toastProblem('The decision was not saved', error),
    onSettled: () => queries.invalidateQueries({ queryKey: api.assistant.key() }),
  })
}
