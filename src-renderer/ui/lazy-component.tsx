import { type ComponentType, type ReactNode, useEffect, useState } from 'react'

/** In milliseconds. */
const retryPauses = [500, 1000, 2000, 4000]

type Lazy<Props> = ComponentType<Props & { readonly fallback?: ReactNode }> & {
  /** Loads the code in advance. */
  preload(): Promise<void>
}

/**
 * Returns a component whose code is loaded when it is first shown; `fallback` shows until then. Unlike React.lazy with
 * Suspense, it does not keep a fallback on screen for 300 ms.
 *
 * @param load imports the module. It is tried again for some seconds: the service may be starting again. Then the component
 *   throws its error, and the next one shown tries again.
 */
export function lazyComponent<Props extends object>(
  load: () => Promise<{ readonly default: ComponentType<Props> }>,
): Lazy<Props> {
  let loaded: ComponentType<Props> | null = null

  async function preload(): Promise<void> {
    loaded = (await load()).default
  }

  function LazyComponent(props: Props & { readonly fallback?: ReactNode }): ReactNode {
    const [Loaded, setLoaded] = useState(() => loaded)
    useEffect(() => {
      if (Loaded !== null) return
      let timer: ReturnType<typeof setTimeout> | undefined
      const attempt = (pauses: readonly number[]) =>
        preload().then(
          () => setLoaded(() => loaded),
          error => {
            const [pause, ...others] = pauses
            if (pause !== undefined) timer = setTimeout(() => void attempt(others), pause)
            else
              setLoaded(() => {
                throw error
              })
          },
        )
      void attempt(retryPauses)
      return () => clearTimeout(timer)
    }, [Loaded])
    return Loaded === null ? props.fallback : <Loaded {...props} />
  }
  return Object.assign(LazyComponent, { preload })
}

/** Calls back when the page is idle. @returns a function that cancels it. */
export function onIdle(callback: () => void): () => void {
  // Safari has no requestIdleCallback.
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(callback, 200)
    return () => clearTimeout(timer)
  }
  const handle = window.requestIdleCallback(callback)
  return () => window.cancelIdleCallback(handle)
}
