import { useEffect } from 'react'

/** The window's title while the calling screen is there: what is open, then the product. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Custom Connection`
    return () => {
      document.title = 'Custom Connection'
    }
  }, [title])
}
