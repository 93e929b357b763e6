/** A body that still arrives, as far as its memory goes. */
export type ArrivingBody = {
  /** Bytes of memory that it holds. */
  held: number
  /** Ends it, since the memory is needed: the sender is told 503. */
  readonly giveUp: () => void
}

/** The memory of all inbound bodies that are under way: arriving, or waiting to be stored. */
export type BodyMemory = {
  /**
   * Has a body hold so many bytes from now on.
   *
   * @returns false when it has been given up instead, or was before.
   */
  hold(body: ArrivingBody, bytes: number): boolean
  /** Lets go of what a body holds; it may be called again. */
  release(body: ArrivingBody): void
  /** Takes memory for a body that has arrived whole. @returns false when there is none left. */
  take(bytes: number): boolean
  free(bytes: number): void
  /** Bytes held now. */
  readonly used: number
}

/**
 * Bounds the memory of the bodies under way over all connections. When it is used up, the body that has been
 * arriving longest gives way, so that senders who drip their bodies cannot shut out those who do not: pausing
 * them instead would leave the memory with those who dripped first. A body that arrives in one piece holds
 * nothing until it waits to be stored.
 *
 * @param limit bytes, asked for each time.
 */
export function createBodyMemory(limit: () => number): BodyMemory {
  /** In the order in which they began. */
  const arriving = new Set<ArrivingBody>()
  let used = 0

  function release(body: ArrivingBody): void {
    if (!arriving.delete(body)) return
    used -= body.held
    body.held = 0
  }

  /** Gives up the oldest until there is room; all of them at most. */
  function makeRoom(bytes: number): boolean {
    for (const body of arriving) {
      if (used + bytes <= limit()) return true
      release(body)
      body.giveUp()
    }
    return used + bytes <= limit()
  }

  return {
    hold(body, bytes) {
      arriving.add(body)
      const more = bytes - body.held
      if (!makeRoom(more) || !arriving.has(body)) {
        if (arriving.has(body)) {
          release(body)
          body.giveUp()
        }
        return false
      }
      used += more
      body.held = bytes
      return true
    },
    release,
    take(bytes) {
      if (!makeRoom(bytes)) return false
      used += bytes
      return true
    },
    free(bytes) {
      used -= bytes
    },
    get used() {
      return used
    },
  }
}
