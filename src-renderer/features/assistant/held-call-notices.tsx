import { useRouterState } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { Approval, ApprovalDecision } from '#shared/model/assistant.ts'
import { type Shortcut, useShortcut, useShortcutList } from '../../ui/shortcuts.tsx'
import { toastQuestion } from '../../ui/toasts.tsx'
import { WriteButton } from '../../ui/write-button.tsx'
import classes from './assistant.module.css'
import { HeldArguments, TimeLeft } from './held-calls.tsx'
import { callerOf, useApprovals, useDecision } from './use-assistant.ts'

const group = 'Calls that wait'
const shortcuts: Readonly<Record<ApprovalDecision, Shortcut>> = {
  allow: { keys: 'a', label: 'Allow the oldest call', group, yields: true },
  decline: { keys: 'x', label: 'Decline the oldest call', group, yields: true },
}
/** Milliseconds for which a notice has no keys: one that was pressed for something else must not decide. */
const unreadMs = 1500

/** Asks about each held call on every screen but Connect, which does so itself. */
export function HeldCallNotices() {
  const { data: approvals = [] } = useApprovals()
  const { mutate } = useDecision()
  const isOnConnect = useRouterState({ select: ({ location }) => location.pathname === '/assistant' })
  /** Functions that close the toast of each announced call. */
  const announced = useRef(new Map<string, () => void>())
  const oldest = isOnConnect ? undefined : approvals[0]
  const isRead = useIsRead(oldest?.approvalId ?? null)
  const list = useShortcutList()
  const hasKeys = (decision: ApprovalDecision) =>
    !list().some(({ keys, group: other }) => keys === shortcuts[decision].keys && other !== group)
  const decideOldest = (decision: ApprovalDecision) => {
    if (oldest !== undefined) mutate({ approval: oldest, decision })
  }
  useShortcut(shortcuts.allow, () => decideOldest('allow'), isRead)
  useShortcut(shortcuts.decline, () => decideOldest('decline'), isRead)

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
    const title = `${callerOf(approval)} wants to call ${approval.name}`
    return toastQuestion(title, <Question approval={approval} hasKeys={hasKeys} />)
  }
  useEffect(() => announce(approvals, isOnConnect), [approvals, isOnConnect])
  return null
}

/** Returns whether a call was shown for long enough to be read. */
function useIsRead(approvalId: string | null): boolean {
  const [readId, setReadId] = useState<string | null>(null)
  useEffect(() => {
    const timer = setTimeout(() => setReadId(approvalId), unreadMs)
    return () => clearTimeout(timer)
  }, [approvalId])
  return approvalId !== null && readId === approvalId
}

type QuestionProps = {
  readonly approval: Approval
  /** Returns whether the screen leaves the keys of a decision to the notice. */
  readonly hasKeys: (decision: ApprovalDecision) => boolean
}

function Question({ approval, hasKeys }: QuestionProps) {
  const { data: approvals = [] } = useApprovals()
  const { isPending, mutate } = useDecision()
  const isOldest = approvals[0]?.approvalId === approval.approvalId
  const isRead = useIsRead(isOldest ? approval.approvalId : null)
  const button = (decision: ApprovalDecision) => ({
    keys: isRead && hasKeys(decision) && shortcuts[decision].keys,
    size: 'xs',
    onClick: () => mutate({ approval, decision }),
  })
  return (
    <div className={classes.notice}>
      <HeldArguments approval={approval} />
      <div className={classes.answers}>
        <WriteButton variant="filled" loading={isPending} {...button('allow')}>
          Allow
        </WriteButton>
        <WriteButton disabled={isPending} {...button('decline')}>
          Decline
        </WriteButton>
        <span className="push num nowrap">
          <TimeLeft expiresAt={approval.expiresAt} />
        </span>
      </div>
    </div>
  )
}
