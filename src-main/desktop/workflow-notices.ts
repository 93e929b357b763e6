import type { RouterClient } from '@orpc/server'
import type { Logger } from '#main/lib/logger.ts'
import type { Router } from '#main/rpc/router.ts'
import type { ActivityItem } from '#shared/model/activity.ts'
import type { Notice } from './notifier.ts'

type Notified = Extract<ActivityItem, { type: 'workflow.notified' }>

type FollowOptions = {
  readonly client: RouterClient<Router>
  readonly show: (notice: Notice) => void
  /** Calls back after `ms` milliseconds. @returns the function that cancels it. */
  readonly setTimer: (callback: () => void, ms: number) => () => void
  readonly logger: Logger
}

/** Milliseconds after a notification in which messages are collected for the next one. */
const gatherMs = 5000

/**
 * Shows alerts that open, and the messages of workflows: the first at once, those that follow closely as one.
 *
 * @returns a function that stops it.
 */
export function followWorkflowNotices({ client, show, setTimer, logger }: FollowOptions): () => void {
  let gathered: { count: number; newest: Notified | null } = { count: 0, newest: null }
  let stopTimer: (() => void) | null = null

  async function showGathered(): Promise<void> {
    const { count, newest } = gathered
    if (newest === null) return
    gathered = { count: 0, newest: null }
    stopTimer = setTimer(() => {
      stopTimer = null
      void showGathered()
    }, gatherMs)
    const workflows = await client.workflows.list({})
    const name = workflows.find(({ workflowId }) => workflowId === newest.workflowId)?.name ?? 'A workflow'
    const message = newest.message ?? ''
    if (count === 1) show({ title: name, body: message })
    else show({ title: `${count} messages of workflows`, body: `${name}: ${message}` })
  }

  const controller = new AbortController()
  async function follow(): Promise<void> {
    for await (const item of await client.activity.live({}, { signal: controller.signal })) {
      if (item.type === 'alert.opened') show({ title: 'Alert', body: item.message })
      if (item.type !== 'workflow.notified') continue
      gathered = { count: gathered.count + 1, newest: item }
      if (stopTimer === null) await showGathered()
    }
  }
  follow().catch(err => {
    if (!controller.signal.aborted) logger.error({ err }, 'Notifications of workflows have stopped')
  })
  return () => {
    controller.abort()
    stopTimer?.()
  }
}
