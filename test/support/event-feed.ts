import { onTestFinished } from 'vitest'
import { ActivityItem } from '#shared/model/activity.ts'
import { LiveMessage } from '#shared/model/live.ts'
import { adminToken, type ServiceFixture } from './service-fixture.ts'

type EventStream = {
  readonly response: Response
  /** Everything that came so far. */
  text(): string
  close(): void
}

export type EventFeed = EventStream & {
  /** The next item of the feed, as its model has it. */
  next(): Promise<ActivityItem>
}

export type LiveFeed = EventStream & {
  /** The next message, as its model has it, with the id that came with it. */
  next(): Promise<{ readonly id: string | undefined; readonly message: LiveMessage }>
}

type Place = Pick<ServiceFixture, 'dashboardUrl'>

/** Follows the activity over server-sent events. `lastEventId` as a browser sends it when it connects again. */
export async function openFeed(place: Place, query = '', lastEventId?: string): Promise<EventFeed> {
  const { nextMessage, ...stream } = await openStream(place, `/activity${query}`, lastEventId)
  return {
    ...stream,
    async next() {
      const { id, data } = await nextMessage()
      const item = ActivityItem.parse(data)
      if (id !== item.id) throw new Error(`The message has another id than its item: ${JSON.stringify(data)}`)
      return item
    },
  }
}

/** Follows everything, likewise. */
export async function openLive(place: Place, query = '', lastEventId?: string): Promise<LiveFeed> {
  const { nextMessage, ...stream } = await openStream(place, `/live${query}`, lastEventId)
  return {
    ...stream,
    async next() {
      const { id, data } = await nextMessage()
      return { id, message: LiveMessage.parse(data) }
    },
  }
}

async function openStream({ dashboardUrl }: Place, path: string, lastEventId: string | undefined) {
  const controller = new AbortController()
  onTestFinished(() => controller.abort())
  const response = await fetch(`${dashboardUrl}/api/v1${path}`, {
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
  async function nextFields(): Promise<Map<string, string>> {
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
    /** Returns the next message that is not a comment, its JSON parsed. */
    async nextMessage(): Promise<{ id: string | undefined; data: unknown }> {
      for (;;) {
        const fields = await nextFields()
        const data = fields.get('data')
        if (data !== undefined) return { id: fields.get('id'), data: JSON.parse(data) }
      }
    },
  }
}
