export type WorkClock = ReturnType<typeof createWorkClock>

/** Measures the time of an answer without that in which it waits for a person. */
export function createWorkClock() {
  const startedAt = performance.now()
  let asking = 0
  let askedAt = 0
  let waited = 0
  return {
    ask() {
      if (asking++ === 0) askedAt = performance.now()
    },
    decided() {
      if (--asking === 0) waited += performance.now() - askedAt
    },
    tookMs: () => performance.now() - startedAt - waited - (asking > 0 ? performance.now() - askedAt : 0),
  }
}
