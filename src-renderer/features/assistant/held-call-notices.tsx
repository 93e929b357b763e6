import { useNavigate, useRouterState } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useRef } from 'react'
import type { Approval } from '#shared/model/assistant.ts'
import { toastQuestion } from '../../ui/toasts.tsx'
import { callerOf, useApprovals } from './use-assistant.ts'

/** Announces each held call on every screen but Connect, which shows them itself. */
export function HeldCallNotices() {
  const { data: approvals } = useApprovals()
  const navigate = useNavigate()
  const isOnConnect = useRouterState({ select: ({ location }) => location.pathname === '/assistant' })
  /** Functions that close the toast of each announced call. */
  const announced = useRef(new Map<string, () => void>())
  const announce = useEffectEvent((held: readonly Approval[], isOnConnect: boolean) => {
    const ids = new Set(held.map(({ approvalId }) => approvalId))
    for (const [id, close] of announced.current) {
      if (ids.has(id) && !isOnConnect) continue
      close()
      if (!ids.has(id)) announced.current.delete(id)
    }
    for (const approval of held)
      if (!announced.current.has(approval.approvalId))
        announced.current.set(approval.approvalId, isOnConnect ? () => {} : show(approval))
  })
  function show(approval: Approval): () => void {
    return toastQuestion(
      `${callerOf(approval)} wants to call ${approval.name}`,
      'The call waits until you allow or decline it.',
      { label: 'Show the call', run: () => void navigate({ to: '/assistant' }) },
    )
  }
  useEffect(() => announce(approvals ?? [], isOnConnect), [approvals, isOnConnect])
  return null
}
