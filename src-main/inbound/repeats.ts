/** The last `limit` added keys, each of two 32-bit words, with their times. */
export type RecentKeys = {
  /** Returns when the key was added; null if it is unknown or was dropped. */
  timeOf(high: number, low: number): number | null
  /** Adds a key and drops the oldest if full. A known key keeps its time. */
  add(high: number, low: number, time: number): void
  /** Changes the time of a known key. */
  renew(high: number, low: number, time: number): void
  readonly isFull: boolean
  /** When the newest key was added; null if there is none. */
  readonly newest: number | null
  /** Adds all keys to another set, oldest first. */
  copyTo(other: RecentKeys): void
}

/**
 * Creates a ring buffer of keys with a hash table, in typed arrays. Every accepted event adds a key. As objects in a
 * Map, the keys would survive every young collection and take a tenth of the listener's time.
 */
export function createRecentKeys(limit: number): RecentKeys {
  const highs = new Uint32Array(limit)
  const lows = new Uint32Array(limit)
  const times = new Float64Array(limit)
  let size = 0
  let oldest = 0
  // Open addressing with linear probing, at most half full. An entry is a slot of the ring plus one; 0 is free.
  const mask = 2 ** Math.ceil(Math.log2(limit * 2)) - 1
  const table = new Int32Array(mask + 1)

  /** Returns the key's place in the table, or the free place where the search ends. */
  function find(high: number, low: number): number {
    let place = low & mask
    for (;;) {
      const slot = (table[place] ?? 0) - 1
      if (slot < 0 || (lows[slot] === low && highs[slot] === high)) return place
      place = (place + 1) & mask
    }
  }

  /** Frees a place and moves up the entries behind it, so that no search ends too early. */
  function free(place: number): void {
    let hole = place
    let next = place
    for (;;) {
      next = (next + 1) & mask
      const entry = table[next] ?? 0
      if (entry === 0) break
      const home = (lows[entry - 1] ?? 0) & mask
      // The entry may move to the hole if its home is not between the hole and its place.
      if (((next - home) & mask) >= ((next - hole) & mask)) {
        table[hole] = entry
        hole = next
      }
    }
    table[hole] = 0
  }

  const slotAt = (age: number) => (oldest + age) % limit

  return {
    get isFull() {
      return size === limit
    },
    get newest() {
      return size === 0 ? null : (times[slotAt(size - 1)] ?? null)
    },
    copyTo(other) {
      for (let age = 0; age < size; age++) {
        const slot = slotAt(age)
        other.add(highs[slot] ?? 0, lows[slot] ?? 0, times[slot] ?? 0)
      }
    },
    timeOf(high, low) {
      const slot = (table[find(high >>> 0, low >>> 0)] ?? 0) - 1
      return slot < 0 ? null : (times[slot] ?? null)
    },
    renew(high, low, time) {
      const slot = (table[find(high >>> 0, low >>> 0)] ?? 0) - 1
      if (slot >= 0) times[slot] = time
    },
    add(high, low, time) {
      if ((table[find(high >>> 0, low >>> 0)] ?? 0) !== 0) return
      let slot = size
      if (size < limit) size++
      else {
        slot = oldest
        oldest = (oldest + 1) % limit
        free(find(highs[slot] ?? 0, lows[slot] ?? 0))
      }
      highs[slot] = high
      lows[slot] = low
      times[slot] = time
      table[find(high >>> 0, low >>> 0)] = slot + 1
    },
  }
}

/** How long signatures are remembered whose timestamps may differ from the clock by 5 minutes, in both directions. */
export const usualMs = 10 * 60 * 1000

type RepeatBounds = {
  /** Signatures that every connection has room for. */
  readonly first: number
  /** The limit of one connection. */
  readonly perConnection: number
  /** The limit of growth over all connections. */
  readonly total: number
}

/** 32 bytes each: 1.6 MB for one connection, 32 MB in all. */
const usualBounds: RepeatBounds = { first: 1024, perConnection: 50_000, total: 1_000_000 }

/** Each connection's recently accepted signatures, to recognize exact repeats. Times are milliseconds since 1970. */
export type Repeats = ReturnType<typeof createRepeats>

type Remembered = { keys: RecentKeys; room: number; forMs: number }

/**
 * Remembers signatures in memory, until a restart. A signature covers timestamp and body and is keyed with the
 * connection's secret, so it identifies a request. 64 of its bits are enough to rule out a collision. Each
 * connection drops its own oldest first, so one sender's events never make another sender's repeat count again. Its
 * room doubles while the total allows it.
 */
export function createRepeats({ first, perConnection, total }: RepeatBounds = usualBounds) {
  const byConnection = new Map<string, Remembered>()
  let room = 0

  /** Drops the signatures of other connections whose newest one has expired. */
  function forgetQuiet(butFor: Remembered, nowMs: number): void {
    for (const [connectionId, remembered] of byConnection)
      if (remembered !== butFor && nowMs - (remembered.keys.newest ?? nowMs) > remembered.forMs)
        forget(connectionId)
  }

  /** Drops the signatures of a deleted connection. */
  function forget(connectionId: string): void {
    room -= byConnection.get(connectionId)?.room ?? 0
    byConnection.delete(connectionId)
  }

  function grow(remembered: Remembered, nowMs: number): void {
    const wanted = Math.min(perConnection, 2 * remembered.room)
    if (wanted === remembered.room) return
    if (room - remembered.room + wanted > total) forgetQuiet(remembered, nowMs)
    if (room - remembered.room + wanted > total) return
    const keys = createRecentKeys(wanted)
    remembered.keys.copyTo(keys)
    room += wanted - remembered.room
    remembered.keys = keys
    remembered.room = wanted
  }

  return {
    /**
     * Returns whether the connection accepted this signature lately, by default within the last 10 minutes. An empty one
     * identifies nothing.
     */
    has(connectionId: string, signature: string, nowMs: number, forMs = usualMs) {
      if (signature === '') return false
      const at =
        byConnection.get(connectionId)?.keys.timeOf(wordOf(signature, 0), wordOf(signature, 1)) ?? null
      return at !== null && nowMs - at <= forMs
    },
    /**
     * Call this only once the event is durable: a lost event must not block its retry.
     *
     * @param leftMs how long from now, if the event came earlier.
     */
    remember(connectionId: string, signature: string, nowMs: number, forMs = usualMs, leftMs = forMs) {
      if (signature === '') return
      let remembered = byConnection.get(connectionId)
      if (remembered === undefined) {
        remembered = { keys: createRecentKeys(first), room: first, forMs }
        byConnection.set(connectionId, remembered)
        room += first
      }
      remembered.forMs = forMs
      if (remembered.keys.isFull) grow(remembered, nowMs)
      const { keys } = remembered
      const [high, low] = [wordOf(signature, 0), wordOf(signature, 1)]
      const before = keys.timeOf(high, low)
      const at = nowMs - forMs + leftMs
      if (before === null) keys.add(high, low, at)
      else if (nowMs - before > forMs) keys.renew(high, low, at)
    },
    forget,
  }
}

const digestStart = 'sha256='.length

/** Returns the n-th 32-bit word of a signature's digest. */
function wordOf(signature: string, n: number): number {
  const start = digestStart + n * 8
  return Number.parseInt(signature.slice(start, start + 8), 16)
}
