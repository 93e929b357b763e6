/** Calls back after so many milliseconds, without keeping the process alive. Returns a function that cancels it. */
export function later(delayMs: number, callback: () => void): () => void {
  const timer = setTimeout(callback, delayMs)
  timer.unref()
  return () => clearTimeout(timer)
}
