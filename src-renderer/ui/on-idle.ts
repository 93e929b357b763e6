/** Calls back once the page has nothing else to do. @returns the function that calls it off. */
export function onIdle(callback: () => void): () => void {
  // Not every browser tells when it is idle.
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(callback, 200)
    return () => clearTimeout(timer)
  }
  const handle = window.requestIdleCallback(callback)
  return () => window.cancelIdleCallback(handle)
}
