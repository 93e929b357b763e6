import { onTestFinished } from 'vitest'
import { ActivityItem } from '#shared/model/activity.ts'
import { adminToken, type ServiceFixture } from './service-fixture.ts'

export type EventFeed = {
  readonly response: Response
  /** The next item of the feed, as its model has it. */
  next(): Promise<ActivityItem>
  /** Everything that came so far, as text. */
  text(): string
  close(): void
}

/** Follows the activity over server-sent events. `lastEventId` as a browser sends it when it connects again. */
export async function openFeed(
  { dashboardUrl }: Pick<ServiceFixture, 'dashboardUrl'>,
  query = '',
  lastEventId?: string,
): Promise<EventFeed> {
  const controller = new AbortController()
  onTestFinished(() => controller.abort())
  const response = await fetch(`${dashboardUrl}/api/v1/activity${query}`, {
    headers: {
      authorization: `Bearer ${adminToken}`,
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
    signal: controller.signal,
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  let read = 0

  /** The next whole message: its fields by name. */
  async function nextMessage(): Promise<Map<string, string>> {
    for (;;) {
      const end = text.indexOf('\n\n', read)
      if (end !== -1) {
        const lines = text.slice(read, end).split('\n')
        read = end + 2
        return new Map(
          lines.map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
        )
      }
      const chunk = await reader?.read()
      if (chunk === undefined || chunk.done) throw new Error(`The feed ended: ${text}`)
      text += chunk.value
    }
  }

  return {
    response,
    text: () => text,
    close: () => controller.abort(),
    async next() {
      for (;;) {
        const message = await nextMessage()
        const data = message.get('data')
        if (data === undefined) continue
        const item = ActivityItem.parse(JSON.parse(data))
        if (message.get('id') !== item.id)
          throw new Error(`The message has another id than its item: ${data}`)
        return item
      }
    },
  }
}
