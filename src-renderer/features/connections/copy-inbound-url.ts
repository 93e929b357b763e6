import { client } from '../../client/client.ts'
import { copyAndTell } from '../../ui/copy-and-tell.ts'

/** Copies a connection's inbound URL, which is a credential and asked for only now. */
export function copyInboundUrl(connectionId: string): void {
  const url = client.connections.credentials({ connectionId }).then(({ inboundUrl }) => inboundUrl)
  void copyAndTell(url, {
    done: 'Inbound URL copied',
    note: 'It holds a credential.',
    failed: 'The inbound URL was not copied',
  })
}
