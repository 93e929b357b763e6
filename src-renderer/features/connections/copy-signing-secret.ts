import { client } from '../../client/client.ts'
import { copyAndTell } from '../../ui/copy-and-tell.ts'

/** Copies a connection's signing secret, which is asked for only now and shown nowhere. */
export function copySigningSecret(connectionId: string): void {
  const secret = client.connections.credentials({ connectionId }).then(({ signingSecret }) => signingSecret)
  void copyAndTell(secret, {
    done: 'Signing secret copied',
    note: 'Set it where the sender reads it, whsec_ included.',
    failed: 'The signing secret was not copied',
  })
}
