import { newId, type RandomBytes } from '#main/connections/identifiers.ts'
import type { HeldBounds, HeldCall, HeldCallStore } from '#main/storage/held-calls.ts'
import { ServiceError } from '#shared/errors.ts'
import { parseExact } from '#shared/json/exact-json.ts'
import { Approval, ApprovalDecision } from '#shared/model/assistant.ts'
import { createCallHolder } from './call-holder.ts'

/** How a held call ended: somebody decided, nobody did in time, the client gave up, or too many calls were held. */
export type ApprovalOutcome = ApprovalDecision | 'expired' | 'aborted' | 'too many'

/** Calls of MCP clients that wait until somebody allows or declines them in the dashboard, on any node. */
export type Approvals = ReturnType<typeof createApprovals>

export type AskedCall = Omit<Approval, 'approvalId' | 'requestedAt' | 'expiresAt'>

/** Milliseconds for a decision. */
export const approvalMs = 5 * 60 * 1000
/** The size is the characters of their arguments as JSON: the dashboard reads the whole list after each change. */
const bounds: HeldBounds = { most: 100, mostSize: 8 * 1024 * 1024 }
export const approvalKind = 'mcp'

export function createApprovals(parts: {
  readonly store: HeldCallStore
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly random: RandomBytes
  readonly waitMs?: number | undefined
}) {
  const { store, clock, random, waitMs = approvalMs } = parts
  const holder = createCallHolder(store)
  const stopping = new AbortController()

  async function hold(call: HeldCall, signal: AbortSignal): Promise<ApprovalOutcome> {
    const expiry = new AbortController()
    const timer = setTimeout(() => expiry.abort(), waitMs)
    try {
      const ended = await holder.hold(call, AbortSignal.any([signal, stopping.signal, expiry.signal]), bounds)
      if (ended === 'aborted') return expiry.signal.aborted ? 'expired' : 'aborted'
      return ended === 'too many' ? ended : ApprovalDecision.parse(ended.decision)
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    /** Holds a call, and resolves when it is decided. @throws ServiceError `storage_unavailable`. */
    async ask(call: AskedCall, signal: AbortSignal): Promise<ApprovalOutcome> {
      const now = clock()
      const approval: Approval = {
        ...call,
        approvalId: newId('appr', random),
        requestedAt: new Date(now).toISOString(),
        expiresAt: new Date(now + waitMs).toISOString(),
      }
      const held: HeldCall = {
        ...{ id: approval.approvalId, kind: approvalKind, expiresAt: now + waitMs },
        doc: JSON.stringify(approval),
        size: JSON.stringify(call.arguments).length,
      }
      approvals.set(held, approval)
      return hold(held, signal)
    },
    /** Returns the held calls of all nodes, the oldest first. @throws ServiceError `storage_unavailable`. */
    list: async () => (await store.list(approvalKind)).map(approvalOf),
    /** @throws ServiceError `approval_not_found`, also for the second of two decisions; `storage_unavailable`. */
    async decide(approvalId: string, decision: ApprovalDecision): Promise<Approval> {
      const call = await store.decide(approvalKind, approvalId, decision)
      if (call === null) throw new ServiceError('approval_not_found')
      return approvalOf(call)
    },
    /** Ends those of this node as aborted. */
    async stop() {
      stopping.abort()
      await holder.stop()
    },
  }
}

/** Saves reading the same arguments again and again, where the storage returns the same calls. */
const approvals = new WeakMap<HeldCall, Approval>()

/** Returns a held call as it was asked for, with all digits of its numbers. */
function approvalOf(call: HeldCall): Approval {
  const approval = approvals.get(call) ?? Approval.parse(parseExact(call.doc))
  approvals.set(call, approval)
  return approval
}
