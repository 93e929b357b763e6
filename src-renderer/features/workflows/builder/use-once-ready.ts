import { useEffect, useEffectEvent, useState } from 'react'

/** Returns a function that runs something at once, or as soon as it is ready, and whether it is being waited for. */
export function useOnceReady(isReady: boolean, run: () => void) {
  const [isAwaited, setIsAwaited] = useState(false)
  const runAwaited = useEffectEvent(() => {
    setIsAwaited(false)
    run()
  })
  useEffect(() => {
    if (isAwaited && isReady) runAwaited()
  }, [isAwaited, isReady])
  return { isAwaited, ask: () => (isReady ? run() : setIsAwaited(true)) }
}
