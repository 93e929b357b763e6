import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import type { Look } from './history.ts'
import type { LoadParts } from './load.ts'
import { idsOf, sendEvent } from './send-events.ts'
import { Created, editedSteps, inboundPath, newConnection } from './streams.ts'

/** Milliseconds between two changes of a kind, and between two events whose answers depend on them. */
const pauses = { names: 500, secrets: 1500, edits: 700, reads: 200, events: 60 }
/** Secrets that are tried again, the newest most often: a node that hangs has one of those from before. */
const oldSecrets = 10
/** Connections that are switched off at different times. */
const switches = 8
/** Milliseconds until one is switched off, and for which it is tried afterwards. */
const [onMs, offMs] = [
  [500, 15_000],
  [2000, 30_000],
] as const

const Named = z.object({ name: z.string(), enabled: z.boolean() })
const Rotated = z.object({ signingSecret: z.string() })

type Switched = Pick<z.infer<typeof Created>, 'connectionId'> & {
  readonly path: string
  readonly secret: string
}

/** Changes the configuration, reads it, and sends events that are accepted by it. */
export function changeConfiguration(parts: LoadParts): readonly Promise<void>[] {
  const { client, records, nodes, random, opened, receiverUrl, repeat, begin } = parts
  const note = (look: Look) => records.looks.push(look)
  const anyNode = () => random.pick(nodes)

  /** Makes a change on any node, mostly on one that seems to work. @returns what it was answered, null if it was not, or with a refusal. */
  async function change<Body>(path: string, body: object, schema: z.ZodType<Body>) {
    const node = random.pick([client.working(nodes), client.working(nodes), nodes].flat())
    const method = path.endsWith('rotate-secret') || path === '/connections' ? 'POST' : 'PATCH'
    const { from, to, body: answer } = await client.rest(node, method, path, body)
    return answer === null ? null : { from, to, node, answer: schema.parse(answer) }
  }

  async function look<Body>(path: string, schema: z.ZodType<Body>, node = anyNode()) {
    const { from, to, body } = await client.rest(node, 'GET', path)
    return body === null ? null : { from, to, node, answer: schema.parse(body) }
  }

  /** Names a connection, and reads its name. */
  function names(): Promise<void>[] {
    const path = `/connections/${opened.plain.connectionId}`
    const register = 'name'
    const name = idsOf('name')
    return [
      repeat(pauses.names, async () => {
        const value = name()
        const made = await change(path, { name: value }, z.unknown())
        if (made) note({ ...made, by: 'change', register, value })
      }),
      ...nodes.map(node =>
        begin(pauses.reads, async () => {
          const read = await look(path, Named, node)
          if (read) note({ ...read, by: 'read', register, value: read.answer.name })
        }),
      ),
    ]
  }

  /** Replaces the secret of a connection, and sends events with it and with those from before. */
  function secrets(): Promise<void>[] {
    const { connectionId, secret, path } = opened.rotated
    const register = 'secret'
    const known = [secret]
    const learn = (value: string) => {
      if (!known.includes(value)) known.unshift(value)
      known.length = Math.min(known.length, oldSecrets)
    }
    const id = idsOf('rotated')
    return [
      repeat(pauses.secrets, async () => {
        const made = await change(`/connections/${connectionId}/rotate-secret`, { graceHours: 0 }, Rotated)
        const found = made ?? (await look(`/connections/${connectionId}/credentials`, Rotated))
        if (found === null) return
        const value = found.answer.signingSecret
        learn(value)
        note({ ...found, by: made ? 'change' : 'read', register, value })
      }),
      ...nodes.map(node =>
        begin(pauses.events, () => {
          const place = random.between(0, 1) ** 2 * known.length
          const value = known[Math.floor(place)] ?? secret
          const to = { node, stream: 'rotated', path, secret: value } as const
          return sendEvent(parts, to, id(), {
            mayBeRefused: true,
            isPatient: true,
            shows: { register, value },
          })
        }),
      ),
    ]
  }

  /** Creates connections and switches them off, and sends events to them all the time. */
  function switching(): Promise<void>[] {
    const tried = new Set<Switched>()
    const id = idsOf('switched')
    const registerOf = ({ connectionId }: Switched) => `${connectionId} is enabled`
    async function switchOne(): Promise<void> {
      const created = await change('/connections', { name: 'Switched', ...newConnection }, Created)
      if (created === null) return
      const { connectionId, credentials } = created.answer
      const one = {
        connectionId,
        path: inboundPath(credentials.inboundToken),
        secret: credentials.signingSecret,
      }
      const shows = { register: registerOf(one) }
      note({ ...created, ...shows, by: 'change', value: 'true' })
      tried.add(one)
      await pause(random.between(...onMs))
      const path = `/connections/${connectionId}`
      const made = await change(path, { enabled: false }, Named)
      if (made) note({ ...made, ...shows, by: 'change', value: String(made.answer.enabled) })
      const until = performance.now() + random.between(...offMs)
      while (performance.now() < until && !parts.isStopped()) {
        const read = await look(path, Named)
        if (read) note({ ...read, ...shows, by: 'read', value: String(read.answer.enabled) })
        await pause(1000)
      }
      tried.delete(one)
    }
    return [
      ...Array.from({ length: switches }, () => repeat(0, switchOne)),
      ...nodes.map(node =>
        begin(pauses.events, async () => {
          if (tried.size === 0) return
          const one = random.pick([...tried])
          const shows = { register: registerOf(one), value: 'true' }
          const options = { mayBeRefused: true, isPatient: true, shows } as const
          await sendEvent(parts, { node, stream: 'switched', ...one }, id(), options)
        }),
      ),
    ]
  }

  /** Edits a workflow, whose calls tell the version. */
  function edits(): Promise<void> {
    let version = 0
    return repeat(pauses.edits, async () => {
      version++
      const steps = editedSteps(receiverUrl, version)
      const made = await change(`/workflows/${opened.edited.workflowId}`, { steps }, z.unknown())
      if (made) note({ ...made, by: 'change', register: 'version of a workflow', value: `${version}` })
    })
  }

  async function pause(ms: number): Promise<void> {
    const until = performance.now() + ms
    while (performance.now() < until && !parts.isStopped()) await delay(Math.min(100, ms))
  }

  return [...names(), ...secrets(), ...switching(), edits()]
}
