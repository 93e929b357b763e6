import { createBus } from '#main/lib/bus.ts'
import { requireShort, type Signals } from '../signals.ts'

/**
 * Returns the signals of the only node.
 *
 * @param onError receives what a listener throws.
 */
export function createLocalSignals(onError: (error: unknown) => void): Signals {
  const bus = createBus<{ readonly topic: string; readonly text: string }>(onError)
  return {
    send(topic, text) {
      requireShort(text)
      bus.publish({ topic, text })
    },
    on: (topic, listener) =>
      bus.subscribe(signal => {
        if (signal.topic === topic) listener(signal.text)
      }),
  }
}
