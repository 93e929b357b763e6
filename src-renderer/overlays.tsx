import { createSafeContext } from '@mantine/core'
import { type ReactNode, useCallback, useMemo, useState } from 'react'

export type ImportRequest = {
  /** The connection to import into; a new one by default. */
  readonly connectionId?: string
  /** The initial text of the editor. */
  readonly text?: string
  /** The file that the text came from. */
  readonly fileName?: string
  /** Dropped files: the dialog reads them, or says why it cannot. */
  readonly files?: readonly File[]
}

export type Overlay =
  | { readonly kind: 'import'; readonly request: ImportRequest }
  /** Compares a connection with the document that it was imported from. */
  | { readonly kind: 'reimport'; readonly connectionId: string }
  /** Dropped files: the dialog reads them, or says why it cannot. */
  | { readonly kind: 'import-workflow'; readonly files?: readonly File[] }
  | { readonly kind: 'new-connection' }
  /** For the open connection. */
  | { readonly kind: 'send-event' }
  | { readonly kind: 'new-workspace' }
  | { readonly kind: 'rotate-secret'; readonly connectionId: string }
  | { readonly kind: 'delete-connection'; readonly connectionId: string }
  | { readonly kind: 'shortcuts' }
  | { readonly kind: 'palette'; readonly query?: string }

type Overlays = {
  readonly current: Overlay | null
  open(overlay: Overlay): void
  close(): void
}

export const [OverlayContext, useOverlays] = createSafeContext<Overlays>('There is no OverlayProvider.')

/** Keeps the one dialog that is open, so that any screen and the palette can open one. */
export function OverlayProvider({ children }: { readonly children: ReactNode }) {
  const [current, setCurrent] = useState<Overlay | null>(null)
  const close = useCallback(() => setCurrent(null), [])
  const overlays = useMemo<Overlays>(() => ({ current, open: setCurrent, close }), [current, close])
  return <OverlayContext value={overlays}>{children}</OverlayContext>
}
