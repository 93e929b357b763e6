/** Runs tasks one after another. Each starts after all earlier ones have succeeded or failed. */
type SerialQueue = <Result>(act: () => Promise<Result>) => Promise<Result>

export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve()
  return act => {
    const turn = last.then(act)
    last = turn.catch(() => {}) // The task's own caller handles the error.
    return turn
  }
}
