/** Has things done one after another: each begins when all that were asked for before it have ended, well or not. */
export type Turns = <Result>(act: () => Promise<Result>) => Promise<Result>

export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve()
  return act => {
    const turn = last.then(act)
    last = turn.catch(() => {}) // its own caller learns of it
    return turn
  }
}
