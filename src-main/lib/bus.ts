/** A typed publish-subscribe channel inside the process. */
export type Bus<Message> = {
  publish(message: Message): void
  /** @returns the function that ends the subscription. */
  subscribe(listener: (message: Message) => void): () => void
  /** Returns whether there are listeners, so that a publisher can skip building an unused message. */
  hasListeners(): boolean
  /** Returns the number of messages published so far. */
  count(): number
}

/** @param onError receives what a listener throws; the other listeners still get the message. */
export function createBus<Message>(onError: (error: unknown) => void): Bus<Message> {
  const listeners = new Set<(message: Message) => void>()
  let published = 0
  return {
    publish(message) {
      published++
      for (const listener of listeners) {
        try {
          listener(message)
        } catch (error) {
          onError(error)
        }
      }
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    hasListeners: () => listeners.size > 0,
    count: () => published,
  }
}
