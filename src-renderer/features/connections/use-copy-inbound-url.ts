import { useClipboard } from '@mantine/hooks'
import { client } from '../../client/client.ts'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'

/** Copies a connection's inbound URL, which is a credential and asked for only now. */
export function useCopyInboundUrl(): (connectionId: string) => void {
  const clipboard = useClipboard()
  return connectionId => {
    client.connections.credentials({ connectionId }).then(
      ({ inboundUrl }) => {
        clipboard.copy(inboundUrl)
        toastDone('Inbound URL copied', 'It holds a credential.')
      },
      error => toastProblem('The inbound URL could not be read', error),
    )
  }
}
