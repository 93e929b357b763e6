import { newId, type RandomBytes } from '#main/connections/identifiers.ts'
import { ServiceError } from '#shared/errors.ts'
import type { Approval, ApprovalDecision } from '#shared/model/assistant.ts'

/** How a held call ended: somebody decided, nobody did in time, the client gave up, or too many calls were held. */
export type ApprovalOutcome = ApprovalDecision | 'expired' | 'aborted' | 'too many'

/** Calls that wait until somebody allows or declines them in the dashboard. They are in memory only. */
export type Approvals = ReturnType<typeof createApprovals>

export type AskedCall = Omit<Approval, 'approvalId' | 'requestedAt' | 'expiresAt'>

/** Milliseconds for a decision. */
export const approvalMs = 5 * 60 * 1000
const maxHeld = 100
/** Characters of their arguments as JSON, in all: the dashboard reads the whole list after each change. */
const maxHeldText = 8 * 1024 * 1024

export function createApprovals(parts: {
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly random: RandomBytes
  /** Called after each change of the list. */
  readonly onChange: () => void
  readonly waitMs?: number | undefined
}) {
  const { clock, random, onChange, waitMs = approvalMs } = parts
  const held = new Map<
    string,
    { readonly approval: Approval; readonly end: (how: ApprovalOutcome) => void }
  >()
  let heldText = 0

  return {
    /** Holds a call, and resolves when it is decided. */
    async ask(call: AskedCall, signal: AbortSignal): Promise<ApprovalOutcome> {
      if (signal.aborted) return 'aborted'
      const { length } = JSON.stringify(call.arguments)
      if (held.size >= maxHeld || heldText + length > maxHeldText) return 'too many'
      const now = clock()
      const approval: Approval = {
        ...call,
        approvalId: newId('appr', random),
        requestedAt: new Date(now).toISOString(),
        expiresAt: new Date(now + waitMs).toISOString(),
      }
      const { promise, resolve: end } = Promise.withResolvers<ApprovalOutcome>()
      const abort = () => end('aborted')
      signal.addEventListener('abort', abort, { once: true })
      const timer = setTimeout(() => end('expired'), waitMs)
      held.set(approval.approvalId, { approval, end })
      heldText += length
      onChange()
      try {
        return await promise
      } finally {
        clearTimeout(timer)
        signal.removeEventListener('abort', abort)
        held.delete(approval.approvalId)
        heldText -= length
        onChange()
      }
    },
    /** Returns the held calls, the oldest first. */
    list: () => Array.from(held.values(), ({ approval }) => approval),
    /** @throws ServiceError `approval_not_found`. */
    decide(approvalId: string, decision: ApprovalDecision) {
      const found = held.get(approvalId)
      if (found === undefined) throw new ServiceError('approval_not_found')
      // Removed at once, so that the second of two decisions is refused.
      held.delete(approvalId)
      found.end(decision)
      return found.approval
    },
    /** Ends all of them as aborted. */
    stop() {
      for (const { end } of held.values()) end('aborted')
    },
  }
}
