import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from './client.ts'
import type { Call, Look, Read, Sent, Walk } from './history.ts'
import type { Random } from './random.ts'
import type { Opened, StreamName } from './streams.ts'

/** The records that are made while the load goes on. */
export type Records = {
  readonly sent: Sent[]
  readonly calls: Call[]
  readonly looks: Look[]
  readonly reads: Read[]
  readonly walks: Walk[]
}

export const createRecords = (): Records => ({ sent: [], calls: [], looks: [], reads: [], walks: [] })

/** The things that a part of the load works with. */
export type LoadParts = {
  readonly client: Client
  readonly records: Records
  readonly random: Random
  /** The places of the nodes. */
  readonly nodes: readonly number[]
  readonly opened: Readonly<Record<Exclude<StreamName, 'switched'>, Opened>>
  /** Where the steps call. */
  readonly receiverUrl: string
  isStopped(): boolean
  /** Calls `act` again and again until the load is stopped, so many milliseconds apart. */
  repeat(pauseMs: number, act: () => Promise<unknown>): Promise<void>
  /**
   * Does the same without waiting for what has begun, more slowly the more is under way: a node that hangs for 40 s has
   * requests of all this time when it goes on.
   */
  begin(pauseMs: number, act: () => Promise<unknown>): Promise<void>
}

/** Starts parts of a load. @returns a function that resolves when all of them have ended. */
export function startLoad(
  parts: Omit<LoadParts, 'isStopped' | 'repeat' | 'begin'>,
  starts: readonly ((parts: LoadParts) => readonly Promise<void>[])[],
): () => Promise<void> {
  let isStopped = false
  const all: LoadParts = {
    ...parts,
    isStopped: () => isStopped,
    async repeat(pauseMs, act) {
      while (!isStopped) {
        await act()
        await delay(pauseMs)
      }
    },
    async begin(pauseMs, act) {
      const underWay = new Set<Promise<unknown>>()
      while (!isStopped) {
        // One that has failed stays, and its error is thrown at the end.
        const begun: Promise<unknown> = act().then(() => underWay.delete(begun))
        begun.catch(() => {})
        underWay.add(begun)
        await delay(pauseMs * (1 + underWay.size))
      }
      await Promise.all(underWay)
    },
  }
  const ended = Promise.all(starts.flatMap(start => start(all)))
  // A failure is told to the caller that stops the load.
  ended.catch(() => {})
  return async () => {
    isStopped = true
    await ended
  }
}
