/** A stretch of time, in milliseconds since the call began. */
export type Stretch = { readonly from: number; readonly to: number }

/** How far an arrow key moves a mark, in milliseconds. */
export const markStep = 50

/** The least and the most milliseconds of each time, as the schema has them. */
export const limits = { silenceTimeout: [100, 60_000], interruptionThreshold: [0, 10_000] } as const

const turnEnd = 3600

/** A call in which both times matter. */
export type ExampleCall = {
  readonly caller: {
    readonly start: Stretch
    readonly rest: Stretch
    readonly sound: Stretch
    readonly objection: Stretch
  }
  readonly agent: Stretch
  /** A pause in the caller's sentence. */
  readonly pause: Stretch
  /** From the end of the caller's turn until the agent answers. */
  readonly silence: Stretch
  /** From the start of the caller's objection until the agent stops. */
  readonly interruption: Stretch
  /** Whether the agent takes the pause for the end of the sentence. */
  readonly answersInPause: boolean
  /** Whether the agent stops for a short sound. */
  readonly stopsForSound: boolean
  /** Length of the time axis: whole seconds, at least nine. */
  readonly end: number
}

/** Returns the example for these times, in milliseconds. An invalid time counts as zero. */
export function exampleCall(silenceTimeout: number, interruptionThreshold: number): ExampleCall {
  const timeout = validTime(silenceTimeout)
  const threshold = validTime(interruptionThreshold)
  const pause = { from: 2100, to: 2550 }
  const answer = turnEnd + timeout
  const sound = { from: answer + 800, to: answer + 920 }
  const objects = answer + 2600
  const stops = objects + threshold
  const objection = { from: objects, to: stops + 1350 }
  return {
    caller: { start: { from: 300, to: pause.from }, rest: { from: pause.to, to: turnEnd }, sound, objection },
    agent: { from: answer, to: stops },
    pause,
    silence: { from: turnEnd, to: answer },
    interruption: { from: objects, to: stops },
    answersInPause: timeout <= pause.to - pause.from,
    stopsForSound: threshold <= sound.to - sound.from,
    end: Math.max(9, Math.ceil(objection.to / 1000)) * 1000,
  }
}

const validTime = (ms: number) => (Number.isFinite(ms) && ms > 0 ? ms : 0)

/** Returns the marks of a time axis, at most ten steps from each other, the last one at its end. */
export function axisMarks(end: number): number[] {
  const step = [1, 2, 5, 10, 20].find(seconds => end / (seconds * 1000) <= 10) ?? 50
  const marks = []
  for (let at = 0; at < end - (step * 1000) / 2; at += step * 1000) marks.push(at)
  return [...marks, end]
}

/** Returns the time that a mark shows after a move, in whole steps of 50 ms and within its limits. */
export function movedTime(from: number, by: number, limits: readonly [least: number, most: number]): number {
  const moved = Math.round((validTime(from) + by) / markStep) * markStep
  return Math.min(limits[1], Math.max(limits[0], moved))
}

/** Returns heights from 0.15 to 1 of a sound wave with a bar every 50 ms. The same stretch always looks the same. */
export function waveOf({ from, to }: Stretch): number[] {
  const count = Math.max(4, Math.min(400, Math.round((to - from) / 50)))
  return Array.from({ length: count }, (_, index) => {
    const noise = Math.abs(Math.sin((index + 1) * 12.9898) * 43758.5453) % 1
    const edge = Math.min(1, (index + 1) / 3, (count - index) / 3)
    return Math.max(0.15, edge * (0.4 + 0.6 * noise))
  })
}
