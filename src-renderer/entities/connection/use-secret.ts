import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, client } from '../../client/client.ts'
import { copyWithToast } from '../../ui/copy-with-toast.ts'
import { toastProblem } from '../../ui/toasts.tsx'
import { useWorkspace } from '../workspace/current-workspace.tsx'

/** How long a secret is shown, in milliseconds. */
const shownForMs = 30_000

/** A credential that is read when it is shown or copied, and forgotten when it is hidden. */
export type Secret = {
  /** The name of the credential: “Signing secret”. */
  readonly name: string
  /** The same name within a sentence. */
  readonly noun: string
  /** Null while hidden. */
  readonly value: string | null
  reveal(): void
  hide(): void
  copy(): void
  /** When it was copied here, in milliseconds since 1970; null before. */
  readonly copiedAt: number | null
  /** Shows a known value for the same time. */
  show(value: string): void
}

function useSecret(name: string, read: () => Promise<string>): Secret {
  const noun = name.charAt(0).toLowerCase() + name.slice(1)
  // A new object each time, so that the timer restarts even for the same value.
  const [shown, setShown] = useState<{ readonly value: string } | null>(null)
  useEffect(() => {
    if (shown === null) return
    const timer = setTimeout(() => setShown(null), shownForMs)
    return () => clearTimeout(timer)
  }, [shown])
  const [copiedAt, setCopiedAt] = useState<number | null>(null)
  const show = (value: string) => setShown({ value })
  return {
    name,
    noun,
    value: shown?.value ?? null,
    show,
    hide: () => setShown(null),
    reveal: () => void read().then(show, error => toastProblem(`The ${noun} could not be read`, error)),
    copy: () =>
      void copyWithToast(read(), name, 'It is a credential.').then(isDone => {
        if (isDone) setCopiedAt(Date.now())
      }),
    copiedAt,
  }
}

/** Returns the credentials of a connection, hidden at first. */
export function useCredentials(connectionId: string) {
  const read = () => client.connections.credentials({ connectionId })
  return {
    read,
    url: useSecret('Inbound URL', () => read().then(({ inboundUrl }) => inboundUrl)),
    secret: useSecret('Signing secret', () => read().then(({ signingSecret }) => signingSecret)),
    verifyToken: useSecret('Verify token', () => read().then(({ verifyToken }) => verifyToken ?? '')),
    senderSecret: useSecret('Signing secret', () => read().then(({ senderSecret }) => senderSecret ?? '')),
  }
}

/** Reads and copies a connection's inbound URL. */
export function copyInboundUrl(connectionId: string): void {
  const url = client.connections.credentials({ connectionId }).then(({ inboundUrl }) => inboundUrl)
  void copyWithToast(url, 'Inbound URL', 'It contains a credential.')
}

/** Reads and copies a connection's signing secret, and shows it nowhere. */
export function copySigningSecret(connectionId: string): void {
  const secret = client.connections.credentials({ connectionId }).then(({ signingSecret }) => signingSecret)
  void copyWithToast(secret, 'Signing secret', 'Set it where the sender reads it, including whsec_.')
}

const mask = '•'.repeat(12)

/** Stands for a hidden signing secret. */
export const maskedSecret = `whsec_${mask}`

/** Returns an inbound URL with its token masked. `base` is the public address of the workspace or the service. */
export function maskedInboundUrl(base: string): string {
  return `${base}/api/connect/${mask}/events`
}

/** Returns the address that the inbound URLs of a workspace start with, or null while unknown. */
export function useInboundBase(workspaceId: string): string | null {
  const { workspaces } = useWorkspace()
  const { data: service } = useQuery(api.service.get.queryOptions())
  const workspace = workspaces.find(one => one.workspaceId === workspaceId)
  if (workspace === undefined || service === undefined) return null
  return workspace.publicBaseUrl ?? service.publicUrl
}
