/** Where messages for one reader come from. */
export type Source<Message> = {
  /** Returns the next message; null if there is none now. */
  take(): Message | null
  stop(): void
}

/**
 * Yields the messages of some sources until the signal aborts. The first source that has a message goes first.
 *
 * @param open opens the sources; they call `wake` when they may have a message.
 */
export async function* followSources<Message>(
  open: (wake: () => void) => readonly Source<Message>[],
  signal: AbortSignal | undefined,
): AsyncGenerator<Message> {
  let resume = () => {}
  const wake = () => resume()
  const sources = open(wake)
  signal?.addEventListener('abort', wake)
  function next(): Message | null {
    for (const source of sources) {
      const message = source.take()
      if (message !== null) return message
    }
    return null
  }
  try {
    while (signal?.aborted !== true) {
      const message = next()
      if (message !== null) yield message
      else
        await new Promise<void>(resolve => {
          resume = resolve
        })
    }
  } finally {
    signal?.removeEventListener('abort', wake)
    for (const source of sources) source.stop()
  }
}
