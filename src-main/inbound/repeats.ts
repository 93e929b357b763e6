/** The last `limit` keys that were added, each of two 32-bit words, with the time of each. */
export type RecentKeys = {
  /** When the key was added, or null when it is not among the last ones. */
  timeOf(high: number, low: number): number | null
  /** Adds a key, forgetting the oldest when full; a key that is there keeps its time. */
  add(high: number, low: number, time: number): void
  /** Whether the next key that is added makes it forget its oldest. */
  readonly isFull: boolean
  /** When the newest key was added; null when there is none. */
  readonly newest: number | null
  /** Adds its keys to another one, the oldest first. */
  copyTo(other: RecentKeys): void
}

/**
 * A ring of keys with a hash table over it, in typed arrays: one is added for every event accepted, and
 * as objects in a Map they would outlive every young collection and take up a tenth of the listener's time.
 */
export function createRecentKeys(limit: number): RecentKeys {
  const highs = new Uint32Array(limit)
  const lows = new Uint32Array(limit)
  const times = new Float64Array(limit)
  let size = 0
  let oldest = 0
  // Open addressing with linear probing, at most half full; an entry is a slot of the ring plus one, 0 is free.
  const mask = 2 ** Math.ceil(Math.log2(limit * 2)) - 1
  const table = new Int32Array(mask + 1)

  /** Where the key stands in the table, or the free place where its search ends. */
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
      // The entry may move to the hole if its home is not between the hole and where it stands.
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

const windowMs = 10 * 60 * 1000

type RepeatBounds = {
  /** Signatures that a connection has room for at first, whatever the others do. */
  readonly first: number
  /** The most that a connection has room for. */
  readonly perConnection: number
  /** The most that all connections together grow to. */
  readonly total: number
}

/** 32 bytes each: 1.6 MB for one connection, 32 MB in all. */
const usualBounds: RepeatBounds = { first: 1024, perConnection: 50_000, total: 1_000_000 }

/** The signatures that each connection accepted lately, to tell exact repeats (decisions: exact repeats). */
export type Repeats = {
  /** Whether the connection accepted this signature within the last 10 minutes. `nowMs` in milliseconds since 1970. */
  has(connectionId: string, signature: string, nowMs: number): boolean
  /** To be called once the event is durable, never before: a lost event must not block its retry. */
  remember(connectionId: string, signature: string, nowMs: number): void
  /** Lets go of what is remembered of a connection, when it is deleted. */
  forget(connectionId: string): void
}

type Remembered = { keys: RecentKeys; room: number }

/**
 * A signature covers timestamp and body and is keyed by the connection's secret, so it alone identifies
 * a request, and nothing unsigned takes part. Of its 256 bits 64 are kept: enough that no two requests
 * ever meet by chance. Each connection forgets its own oldest first, so no sender makes another one's repeat
 * count again; its room doubles while the total allows. All are forgotten on restart.
 */
export function createRepeats({ first, perConnection, total }: RepeatBounds = usualBounds): Repeats {
  const byConnection = new Map<string, Remembered>()
  let room = 0

  /** Frees those of other connections that have been quiet for longer than their signatures count. */
  function forgetQuiet(butFor: Remembered, nowMs: number): void {
    for (const [connectionId, remembered] of byConnection)
      if (remembered !== butFor && nowMs - (remembered.keys.newest ?? nowMs) > windowMs) forget(connectionId)
  }

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
    has(connectionId, signature, nowMs) {
      const at =
        byConnection.get(connectionId)?.keys.timeOf(wordOf(signature, 0), wordOf(signature, 1)) ?? null
      return at !== null && nowMs - at <= windowMs
    },
    remember(connectionId, signature, nowMs) {
      let remembered = byConnection.get(connectionId)
      if (remembered === undefined) {
        remembered = { keys: createRecentKeys(first), room: first }
        byConnection.set(connectionId, remembered)
        room += first
      }
      if (remembered.keys.isFull) grow(remembered, nowMs)
      remembered.keys.add(wordOf(signature, 0), wordOf(signature, 1), nowMs)
    },
    forget,
  }
}

const digestStart = 'sha256='.length

/** The n-th 32 bits of a signature's digest. */
function wordOf(signature: string, n: number): number {
  const start = digestStart + n * 8
  return Number.parseInt(signature.slice(start, start + 8), 16)
}
