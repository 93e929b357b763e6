/** Loaded into a node by `--import`: its clocks stand still while it is stopped, as on a machine that is suspended. */
const longestMs = 500
const lookEveryMs = 50

/** Returns a clock that leaves out each pause in which nobody asked it. */
function hidingPauses(clock: () => number): () => number {
  let hidden = 0
  let last = clock()
  return () => {
    const time = clock()
    if (time - last > longestMs) hidden += time - last
    last = time
    return time - hidden
  }
}

const now = hidingPauses(Date.now.bind(Date))
const monotonic = hidingPauses(performance.now.bind(performance))
Date.now = now
performance.now = monotonic
setInterval(() => {
  now()
  monotonic()
}, lookEveryMs).unref()
