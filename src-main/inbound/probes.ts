import { z } from 'zod'
import type { OnceStore } from '#main/storage/once-store.ts'
import type { Signals } from '#main/storage/signals.ts'

/** A probe's request as the listener received it. */
export type Arrival = {
  readonly method: string
  readonly target: string
  /** Alternating names and values. */
  readonly rawHeaders: readonly string[]
  /** Null if it exceeded the limit. */
  readonly body: Buffer | null
}

/** An arrival on its way to the node that waits for it. */
const SentArrival = z.object({
  method: z.string(),
  target: z.string(),
  rawHeaders: z.array(z.string()),
  body: z.base64().nullable(),
})

/**
 * Running probes. Each has a token that no connection has. The listener hands their requests over instead of refusing
 * them, and they cause no trigger, attempt or activity. A load balancer may send one to another node, so all nodes are
 * told of the token, and hand the request over through the storage.
 */
export type Probes = ReturnType<typeof createProbes>

const kind = 'probe'
/** Milliseconds to wait until the other nodes should know of a probe, if their signals are slow. */
const mostWaitMs = 1000
/** Milliseconds by which a signal may reach another node later than this one, if it comes from a database. */
const mostLaterMs = 250
/** Milliseconds for which another node's probe is known; longer than any takes. */
const elsewhereMs = 30_000
/** Tokens of other nodes that are known at a time. */
const mostElsewhere = 100

/** Any user of the database can send signals: a shorter token could be part of any target. */
const tokenForm = /^[\w-]{22,}$/

/** Takes a request, and resolves when the node that waits for it can find it. Never rejects. */
type Take = (arrival: Arrival) => Promise<void>

/** @param onError called if a request cannot be handed over to another node. */
export function createProbes(once: OnceStore, signals: Signals, onError: (error: unknown) => void) {
  const waiting = new Map<string, Take>()
  const elsewhere = new Map<string, Take>()
  /** Called when the signal about an own probe is back: then the other nodes have it too, or soon. */
  const announced = new Map<string, () => void>()

  const stopListening = signals.on(kind, token => {
    announced.get(token)?.()
    if (waiting.has(token) || !tokenForm.test(token)) return
    elsewhere.set(token, handOver(token))
    const [oldest] = elsewhere.keys()
    if (elsewhere.size > mostElsewhere && oldest !== undefined) elsewhere.delete(oldest)
    setTimeout(() => elsewhere.delete(token), elsewhereMs).unref()
  })

  function handOver(token: string): Take {
    let isFirst = true
    return async ({ body, ...arrival }) => {
      if (!isFirst) return
      isFirst = false
      const text = JSON.stringify({ ...arrival, body: body?.toString('base64') ?? null })
      await once.put(kind, token, text, elsewhereMs).catch(onError)
    }
  }

  function announce(token: string): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, mostWaitMs)
      let isSent = false
      announced.set(token, () => {
        clearTimeout(timer)
        if (isSent) setTimeout(resolve, mostLaterMs)
        else resolve()
      })
      signals.send(kind, token)
      isSent = true
    })
  }

  return {
    /** Waits for a request whose path contains the token, on any node, until `stop`. Resolves when it can be sent. */
    async expect(token: string) {
      let here: Arrival | null = null
      waiting.set(token, async arrival => {
        here ??= arrival
      })
      await announce(token)
      return {
        /** Returns the first request that has been answered so far; null for none. */
        arrival: async () => here ?? fromElsewhere(await once.take(kind, token)),
        stop() {
          waiting.delete(token)
          announced.delete(token)
        },
      }
    },
    /** Returns the probe that waits for a refused request with this target; nearly always undefined. */
    waitingFor(target: string): Take | undefined {
      // Not by the exact path, because a proxy that changes the path is a finding too.
      for (const probes of [waiting, elsewhere])
        for (const [token, take] of probes) if (target.includes(token)) return take
      return undefined
    },
    stop: stopListening,
  }
}

function fromElsewhere(text: string | null): Arrival | null {
  if (text === null) return null
  const { body, ...arrival } = SentArrival.parse(JSON.parse(text))
  return { ...arrival, body: body === null ? null : Buffer.from(body, 'base64') }
}
