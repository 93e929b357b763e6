import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, client } from '../../client/client.ts'
import { copyWithToast } from '../../ui/copy-with-toast.ts'
import { toastProblem } from '../../ui/toasts.tsx'
import { useWorkspace } from '../workspaces/current-workspace.tsx'

/** How long a secret stays in sight, in milliseconds (design: Secret). */
const shownForMs = 30_000

/** A credential that is asked for when it is shown or copied, and forgotten when it is hidden. */
export type Secret = {
  /** Null while it is hidden. */
  readonly value: string | null
  reveal(): void
  hide(): void
  copy(): void
  /** Shows one that is known already, for as long. */
  show(value: string): void
}

/**
 * @param noun what it is called in sentences: “Signing secret”.
 * @param read asks the service for it.
 */
export function useSecret(noun: string, read: () => Promise<string>): Secret {
  // The number tells one showing from the next, so that each lasts as long.
  const [shown, setShown] = useState<{ value: string; at: number } | null>(null)
  useEffect(() => {
    if (shown === null) return
    const timer = setTimeout(() => setShown(null), shownForMs)
    return () => clearTimeout(timer)
  }, [shown])
  const show = (value: string) => setShown({ value, at: Date.now() })
  return {
    value: shown?.value ?? null,
    show,
    hide: () => setShown(null),
    reveal: () => {
      read().then(show, error => toastProblem(`The ${lowerFirst(noun)} could not be read`, error))
    },
    copy: () => void copyWithToast(read(), noun, 'It is a credential.'),
  }
}

function lowerFirst(noun: string): string {
  return noun.charAt(0).toLowerCase() + noun.slice(1)
}

/** Copies a connection's inbound URL, which is a credential and asked for only now. */
export function copyInboundUrl(connectionId: string): void {
  const url = client.connections.credentials({ connectionId }).then(({ inboundUrl }) => inboundUrl)
  void copyWithToast(url, 'Inbound URL', 'It holds a credential.')
}

/** Copies a connection's signing secret, which is asked for only now and shown nowhere. */
export function copySigningSecret(connectionId: string): void {
  const secret = client.connections.credentials({ connectionId }).then(({ signingSecret }) => signingSecret)
  void copyWithToast(secret, 'Signing secret', 'Set it where the sender reads it, whsec_ included.')
}

const mask = '•'.repeat(12)

/** A signing secret that is not shown. */
export const maskedSecret = `whsec_${'•'.repeat(12)}`

/** The inbound URL with dots for its token. @param base the workspace's public address, or the service's. */
export function maskedInboundUrl(base: string): string {
  return `${base}/api/connect/${mask}/events`
}

/** What inbound URLs of a workspace begin with, as they are shown; null until that is known. */
export function useInboundBase(workspaceId: string): string | null {
  const { workspaces } = useWorkspace()
  const { data: service } = useQuery(api.service.get.queryOptions())
  const workspace = workspaces.find(one => one.workspaceId === workspaceId)
  if (workspace === undefined || service === undefined) return null
  return workspace.publicBaseUrl ?? service.publicUrl
}
