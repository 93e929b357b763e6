const diagnosesPerSecond = 10
/** Milliseconds of each second that may go into them: large bodies take longer. */
const mostTimePerSecond = 100

/** How many diagnoses may be made: a flood of refusals must cost next to nothing. */
export type DiagnosisBudget = {
  /** Whether one may be made now; it then counts. */
  take(): boolean
  /** @param milliseconds that it took. */
  spend(milliseconds: number): void
}

/** @param clock milliseconds since 1970. */
export function createDiagnosisBudget(clock: () => number): DiagnosisBudget {
  let second = 0
  let taken = 0
  let timeSpent = 0
  return {
    take() {
      const now = Math.floor(clock() / 1000)
      if (now !== second) {
        second = now
        taken = 0
        timeSpent = 0
      }
      return timeSpent < mostTimePerSecond && taken++ < diagnosesPerSecond
    },
    spend(milliseconds) {
      timeSpent += milliseconds
    },
  }
}
