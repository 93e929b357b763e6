import { createBus } from '#main/lib/bus.ts'
import type { Presence } from '../presence.ts'

type Shown = { readonly node: string; readonly topic: string; readonly read: () => string | null }

/** Shows texts within one process, where nobody else follows as a rule. @param onError receives what a listener throws. */
export function createPresence(onError: (error: unknown) => void): Presence {
  const shown = new Map<string, Shown>()
  const changes = createBus<Shown>(onError)

  function textsFor(node: string, topic: string): string[] {
    const others = [...shown.values()].filter(one => one.node !== node && one.topic === topic)
    return others.flatMap(({ read }) => read() ?? [])
  }
  return {
    show(node, topic, read) {
      const change = { node, topic, read }
      shown.set(JSON.stringify([node, topic]), change)
      changes.publish(change)
    },
    follow(node, topic, listener) {
      const texts = textsFor(node, topic)
      if (texts.length > 0) listener(texts)
      return changes.subscribe(change => {
        if (change.topic === topic && change.node !== node) listener(textsFor(node, topic))
      })
    },
  }
}
