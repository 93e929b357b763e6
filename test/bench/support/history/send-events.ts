import { setTimeout as delay } from 'node:timers/promises'
import { signedEvent } from '../sender.ts'
import type { Sent } from './history.ts'
import type { LoadParts } from './load.ts'
import type { StreamName } from './streams.ts'

const eventName = 'history.test'
/** Milliseconds between two events of a sender. */
const pauses = { plain: 250, actions: 500, lane: 500, once: 600, repeats: 600, edited: 400, wrong: 500 }
/** Milliseconds after which a repeat comes again. */
const laterMs = 5000
const wrongSecret = '0'.repeat(64)
const lanes = ['lane-1', 'lane-2', 'lane-3'] as const

/** Returns the maker of ids that no other has. */
export function idsOf(prefix: string): () => string {
  let next = 0
  return () => `${prefix}-${next++}`
}

/** Sends an event and notes it. */
export async function sendEvent(
  { client, records }: LoadParts,
  to: { readonly node: number; readonly stream: StreamName; readonly path: string; readonly secret: string },
  id: string,
  { isPatient, event = signedEvent(to.secret, eventName, { id }), ...rest }: SendOptions = {},
): Promise<void> {
  const answer = await client.post(to.node, to.path, event, isPatient)
  records.sent.push({ ...{ node: to.node, stream: to.stream, id }, ...rest, ...answer })
}

type SendOptions = Partial<Pick<Sent, 'key' | 'mayBeRefused' | 'shows'>> & {
  readonly isPatient?: boolean
  readonly event?: ReturnType<typeof signedEvent>
}

/** Sends events that are right whatever the configuration is, and some that are always wrong. */
export function sendEvents(parts: LoadParts): readonly Promise<void>[] {
  const { opened, nodes, random, repeat } = parts
  const to = (stream: keyof typeof opened, node = random.pick(nodes)) => ({ node, stream, ...opened[stream] })

  function steadily(stream: keyof typeof opened, pauseMs: number, place: number): Promise<void> {
    const id = idsOf(`${stream}-${place}`)
    return repeat(pauseMs, () => sendEvent(parts, to(stream), id()))
  }

  /** Sends events of one key to all nodes at once. */
  function once(): Promise<void> {
    const [id, keys] = [idsOf('once'), idsOf('key')]
    return repeat(pauses.once, () => {
      const key = keys()
      const sending = nodes.map(node => {
        const own = id()
        const event = signedEvent(opened.once.secret, eventName, { id: own, key })
        return sendEvent(parts, to('once', node), own, { key, event })
      })
      return Promise.all(sending)
    })
  }

  /** Sends the same signed request to all nodes at once, and again later. */
  async function repeats(): Promise<void> {
    const ids = idsOf('repeats')
    const later: Promise<void>[] = []
    await repeat(pauses.repeats, async () => {
      const id = ids()
      const event = signedEvent(opened.repeats.secret, eventName, { id })
      const send = (node: number) => sendEvent(parts, to('repeats', node), id, { event })
      later.push(delay(laterMs).then(() => send(random.pick(nodes))))
      await Promise.all(nodes.map(send))
    })
    await Promise.all(later)
  }

  function wrong(): Promise<void> {
    const ids = idsOf('wrong')
    return repeat(pauses.wrong, async () => {
      const { path, secret } = opened.plain
      const id = ids()
      const event = signedEvent(secret, '', { id })
      const options = { mayBeRefused: true } as const
      await sendEvent(parts, { ...to('plain'), secret: wrongSecret }, `${id}-secret`, options)
      await sendEvent(
        parts,
        { ...to('plain'), path: path.replace(/.\/events$/, '/events') },
        `${id}-token`,
        options,
      )
      await sendEvent(parts, to('plain'), id, { ...options, event })
    })
  }

  return [
    ...[0, 1].flatMap(place => [
      steadily('plain', pauses.plain, place),
      steadily('actions', pauses.actions, place),
    ]),
    ...lanes.map(lane => steadily(lane, pauses.lane, 0)),
    steadily('edited', pauses.edited, 0),
    ...[once(), repeats(), wrong()],
  ]
}
