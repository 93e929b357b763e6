import { modals } from '@mantine/modals'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'

/**
 * Closes what stands over a screen, and takes back what is asked there, once one has gone back or forward from
 * it. Whoever went elsewhere by a dialog itself has closed it already.
 *
 * @param close the dialog that is open, if one is.
 */
export function useCloseOnLeave(close: () => void): void {
  const { history } = useRouter()
  useEffect(() => {
    let before = history.location.href
    return history.subscribe(({ location, action }) => {
      const hasLeft = location.href !== before
      before = location.href
      // Where leaving was not allowed, this is told with the old address.
      if (!hasLeft || action.type === 'PUSH' || action.type === 'REPLACE') return
      close()
      modals.closeAll()
    })
  }, [history, close])
}
