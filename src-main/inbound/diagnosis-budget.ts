const diagnosesPerSecond = 10

/** Returns a function that tells whether one more diagnosis may be made in this second of the clock. */
export function createDiagnosisBudget(clock: () => number): () => boolean {
  let second = 0
  let taken = 0
  return () => {
    const now = Math.floor(clock() / 1000)
    if (now !== second) taken = 0
    second = now
    return taken++ < diagnosesPerSecond
  }
}
