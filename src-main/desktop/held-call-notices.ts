import type { RouterClient } from '@orpc/server'
import type { Bus } from '#main/lib/bus.ts'
import type { Logger } from '#main/lib/logger.ts'
import type { Router } from '#main/rpc/router.ts'
import { createCoalescedPoll } from '#main/storage/coalesced-poll.ts'
import type { Approval, ApprovalDecision } from '#shared/model/assistant.ts'
import { visibleJson, withoutTurning } from '#shared/model/text.ts'
import type { Notice } from './notifier.ts'

type FollowOptions = {
  readonly client: RouterClient<Router>
  /** Publishes after held calls may have changed. Not the live stream, whose figures would be read all the time. */
  readonly changes: Pick<Bus<void>, 'subscribe'>
  readonly show: (notice: Notice) => void
  readonly logger: Logger
}

const maxArguments = 200
const answers: readonly (readonly [label: string, decision: ApprovalDecision])[] = [
  ['Allow', 'allow'],
  ['Decline', 'decline'],
]

/**
 * Asks about each call of an MCP client that waits for a decision. Where the system has no buttons in notifications, a
 * click opens the window, which asks too.
 *
 * @returns a function that stops it.
 */
export function followHeldCalls({ client, changes, show, logger }: FollowOptions): () => void {
  let asked = new Set<string>()

  function ask({ approvalId, clientName, tokenName, name, ...approval }: Approval): void {
    const given = visibleJson(approval.argumentsText ?? JSON.stringify(approval.arguments))
    show({
      title: `${withoutTurning(clientName ?? tokenName ?? 'A client')} wants to call ${name}`,
      body: given.length > maxArguments ? `${given.slice(0, maxArguments)}…` : given,
      actions: answers.map(([label, decision]) => ({
        label,
        run: () =>
          void client.assistant
            .decide({ approvalId, decision })
            .catch(err => logger.warn({ err, approvalId }, 'A decision about a call was not saved')),
      })),
    })
  }
  async function askNew(): Promise<void> {
    const held = await client.assistant.approvals()
    for (const approval of held) if (!asked.has(approval.approvalId)) ask(approval)
    asked = new Set(held.map(({ approvalId }) => approvalId))
  }
  return changes.subscribe(createCoalescedPoll(askNew))
}
