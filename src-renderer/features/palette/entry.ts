import type { ReactNode } from 'react'
import type { Findable } from './rank.ts'

/** One line of the palette. */
export type Entry = Findable & {
  readonly id: string
  readonly group: 'Connections' | 'Actions' | 'Events' | 'Commands'
  readonly icon: ReactNode
  /** Whether the text is something a machine reads. */
  readonly mono?: boolean
  /** Where it belongs: “Acme Orders ERP”. */
  readonly detail?: string
  /** What ↵ does, where the text does not say it. */
  readonly does?: string
  /** The shortcut that does the same. */
  readonly keys?: string
  readonly run: () => void
}

export const groups = ['Connections', 'Actions', 'Events', 'Commands'] as const
