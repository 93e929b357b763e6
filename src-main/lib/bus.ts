/** Typed announcements inside the process: who publishes does not know who listens. */
export type Bus<Message> = {
  publish(message: Message): void
  /** @returns the function that ends the subscription. */
  subscribe(listener: (message: Message) => void): () => void
  /** Whether anybody would hear; lets a publisher skip making what nobody reads. */
  hasListeners(): boolean
}

/** @param onError is told when a listener throws; the other listeners still hear the message. */
export function createBus<Message>(onError: (error: unknown) => void): Bus<Message> {
  const listeners = new Set<(message: Message) => void>()
  return {
    publish(message) {
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
  }
}
