import { type ComponentType, type ReactNode, useEffect, useState } from 'react'

type Lazy<Props> = ComponentType<Props & { readonly fallback?: ReactNode }> & {
  /** Loads the code ahead, so that the component shows at once. */
  preload(): Promise<void>
}

/**
 * Returns a component whose code is loaded when it is first shown; `fallback` shows until then. React.lazy does the
 * same, but Suspense holds what it has loaded back until 300 ms after its fallback, however fast it came.
 *
 * @param load imports the module. What that throws, the component throws; the next one to be shown tries again.
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
      preload().then(
        () => setLoaded(() => loaded),
        error =>
          setLoaded(() => {
            throw error
          }),
      )
    }, [Loaded])
    return Loaded === null ? props.fallback : <Loaded {...props} />
  }
  return Object.assign(LazyComponent, { preload })
}

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
