import { Agent } from 'undici'
import { listConnections } from '#main/connections/connection-order.ts'
import { findConnection } from '#main/connections/connections.ts'
import { credentialsOf } from '#main/connections/urls.ts'
import { searchedOf } from '#main/history/searched-of.ts'
import { type EventText, readEventText, toStoredEvent } from '#main/inbound/event-text.ts'
import { postEvent } from '#main/inbound/post-event.ts'
import { inboundPath } from '#main/inbound/route.ts'
import { namedOutside, type SenderEvent, senderEvent } from '#main/inbound/sender-event.ts'
import { secretsOf } from '#main/inbound/sender-secrets.ts'
import { eventIdOf, sequenceOfEventId } from '#main/lib/sequence.ts'
import { postSignerOf } from '#main/signing/sign-as.ts'
import { type ConnectionRecord, searchedIds } from '#main/storage/config.ts'
import type { LoggedEvent } from '#main/storage/event-log.ts'
import { ServiceError } from '#shared/errors.ts'
import type { StoredEvent } from '#shared/model/inbound-event.ts'
import { type Sender, senderOf } from '#shared/model/sender/sender.ts'
import { type CallContext, exactField, type Handlers, type RpcParts } from './context.ts'

const noReplay = 'The connection is disabled, so its events are not replayed. Enable it first.'
const nothingDeclared: ReadonlySet<string> = new Set()

type SendInput = {
  readonly event?: string | undefined
  readonly data?: object | null | undefined
  readonly dataText?: string | undefined
  readonly body?: string | object | undefined
}

export function events(parts: RpcParts): Handlers['events'] {
  const { store, log, eventTexts, activity, inbound, clock, listenerUrl, publicUrl } = parts
  // The listener's certificate is for its public name, and this request never leaves the machine.
  const toOwnListener = new Agent({ connect: { rejectUnauthorized: false }, connections: 4 })

  const find = (connectionId: string) => findConnection(store.snapshot(), connectionId)
  const declaredBy = (connectionId: string) =>
    inbound.directory.byId(connectionId)?.declared ?? nothingDeclared

  async function findEvent(connection: ConnectionRecord, eventId: string): Promise<LoggedEvent> {
    const event = await log.get(connection.connectionId, eventId)
    if (event === null) throw new ServiceError('event_not_found')
    return event
  }

  /** @throws ServiceError `damaged_event` */
  async function readText(event: LoggedEvent): Promise<EventText> {
    const text = await eventTexts.read(event)
    if (text === null) throw new ServiceError('damaged_event')
    return text
  }

  /** Returns an event that is not stored; null if the memory does not have it. */
  function unstored(connectionId: string, eventId: string): LoggedEvent | null {
    const event = activity.unstoredEvent(eventId)
    if (event === null || event.connectionId !== connectionId) return null
    const { at: receivedAt, eventName, bodyText, reading } = event
    const accepted = event.kind === 'event.accepted' ? event : null
    return {
      ...{ eventId, connectionId, eventName, bodyText, receivedAt, headerLines: '' },
      ...(reading !== undefined && { reading }),
      repeat: event.kind === 'event.repeated' || accepted?.repeat === true,
      ...(accepted?.previousSecret === true && { oldSecret: true }),
      ...(accepted?.duplicateOf != null && { duplicateOf: accepted.duplicateOf }),
      replayOf: event.kind === 'event.replayed' ? event.replayOf : null,
    }
  }

  return {
    list: async ({ input: { connectionId, ...query } }) => {
      find(connectionId)
      const page = await log.list(connectionId, query)
      const shown: StoredEvent[] = []
      for (const event of page.events) {
        const text = await eventTexts.read(event)
        if (text !== null) shown.push(toStoredEvent(event, text, declaredBy(connectionId)))
      }
      const damaged = (page.damaged ?? 0) + page.events.length - shown.length
      return {
        events: shown,
        nextBefore: page.nextBefore,
        ...(damaged > 0 && { damaged }),
        ...searchedOf(page.searched, page.nextBefore),
      }
    },
    search: async ({ input: { workspaceId, text, before, limit } }) => {
      const config = store.snapshot()
      const connectionIds = searchedIds(config, listConnections(config, workspaceId))
      const start = before === undefined ? null : sequenceOfEventId(before)
      const below = start ?? Number.MAX_SAFE_INTEGER
      const page = await log.summaries({ connectionIds, text, above: -1, below, limit })
      const nextBefore = page.checkedAbove < 0 ? null : eventIdOf(page.checkedAbove + 1)
      const events = page.events.map(({ connectionId, eventId, eventName, receivedAt, excerpt }) => ({
        connectionId,
        eventId,
        eventName,
        receivedAt: new Date(receivedAt).toISOString(),
        excerpt: excerpt ?? '',
      }))
      const complete = nextBefore === null || events.length === limit
      return { events, nextBefore, complete, ...searchedOf(page.searched, nextBefore) }
    },
    clear: async ({ input }) => {
      const { connectionId } = find(input.connectionId)
      const deleted = await log.clear(connectionId)
      activity.announce(new Set([connectionId]))
      return { deleted }
    },
    get: async ({ input: { connectionId, eventId } }) => {
      const connection = find(connectionId)
      const inMemory = unstored(connectionId, eventId)
      const event = inMemory ?? (await findEvent(connection, eventId))
      return {
        ...toStoredEvent(event, await readText(event), declaredBy(connectionId)),
        ...(inMemory !== null && { inMemory: true as const }),
      }
    },
    remove: async ({ input: { connectionId, eventId } }) => {
      if (!(await log.remove(find(connectionId).connectionId, eventId)))
        throw new ServiceError('event_not_found')
      activity.announce(new Set([connectionId]))
      return { deleted: 1 }
    },
    replay: async ({ input: { connectionId, eventId } }) => {
      const connection = find(connectionId)
      if (!connection.enabled) throw new ServiceError('connection_disabled', { detail: noReplay })
      return { eventId: await inbound.receiver.replay(await findEvent(connection, eventId), connection) }
    },
    send: async ({ input, context }) => {
      const connection = find(input.connectionId)
      const sender = senderOf(connection)
      const [{ secret }] = secretsOf(connection, sender)
      const sign = postSignerOf(sender, secret)
      const { inboundUrl } = credentialsOf(store.snapshot(), connection, publicUrl())
      const event = { ...eventToSend(sender, input, context), sign, knownUrl: inboundUrl }
      const url = listenerUrl() + inboundPath(connection.inboundToken)
      try {
        return await postEvent({ ...event, url, dispatcher: toOwnListener }, clock())
      } catch (cause) {
        throw new ServiceError('listener_unreachable', { cause })
      }
    },
  }
}

/** Returns the whole body if it was given; otherwise that of an event of the sender. Numbers keep all digits. */
function eventToSend(sender: Sender, input: SendInput, context: CallContext): SenderEvent {
  const { event = '', data, dataText, body } = input
  if (body === undefined) return senderEvent(sender, event, dataText ?? textOf(data, context.inputText?.()))
  const text = typeof body === 'string' ? body : JSON.stringify(exactField(context, 'body') ?? body)
  return { body: text, ...namedOutside(sender, event) }
}

/** Returns the text of `data`, in the caller's spelling if that is known; undefined if there is no data. */
function textOf(data: object | null | undefined, inputText: string | undefined): string | undefined {
  if (data === undefined || data === null) return undefined
  return inputText === undefined ? JSON.stringify(data) : readEventText(inputText).dataText
}
