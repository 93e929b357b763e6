import { createContext, type ReactNode, use, useCallback, useMemo, useState } from 'react'

/** What an import dialog is opened with. */
export type ImportRequest = {
  /** Import into this connection; left out, a new one is made. */
  readonly connectionId?: string
  /** What stands in the editor at first. */
  readonly text?: string
  /** Where the text came from: a file's name. */
  readonly fileName?: string
  /** What was dropped: the dialog reads it, or says why it cannot. */
  readonly files?: readonly File[]
}

export type Overlay =
  | { readonly kind: 'import'; readonly request: ImportRequest }
  | { readonly kind: 'new-connection' }
  /** Of the connection that is open. */
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

const OverlayContext = createContext<Overlays | null>(null)

/** Holds the one dialog that is open over every screen, so that any screen and the palette can open it. */
export function OverlayProvider({ children }: { readonly children: ReactNode }) {
  const [current, setCurrent] = useState<Overlay | null>(null)
  const close = useCallback(() => setCurrent(null), [])
  const overlays = useMemo<Overlays>(() => ({ current, open: setCurrent, close }), [current, close])
  return <OverlayContext value={overlays}>{children}</OverlayContext>
}

export function useOverlays(): Overlays {
  const overlays = use(OverlayContext)
  if (overlays === null) throw new Error('This stands outside the OverlayProvider.')
  return overlays
}
