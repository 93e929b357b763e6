import { client } from '../../client/client.ts'
import { copyText } from '../../ui/copy-text.ts'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'

/** Copies a connection's inbound URL, which is a credential and asked for only now. */
export function useCopyInboundUrl(): (connectionId: string) => void {
  return connectionId => {
    client.connections
      .credentials({ connectionId })
      .then(({ inboundUrl }) => copyText(inboundUrl))
      .then(
        () => toastDone('Inbound URL copied', 'It holds a credential.'),
        error => toastProblem('The inbound URL was not copied', error),
      )
  }
}
