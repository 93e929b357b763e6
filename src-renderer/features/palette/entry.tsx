import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Findable } from './rank.ts'

/** One line of the palette. */
export type Entry = Findable & {
  readonly id: string
  readonly group: (typeof groups)[number]
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

/** In the order shown. Events are declared types; received ones are found by what is in them. */
export const groups = ['Connections', 'Actions', 'Events', 'Received events', 'Commands'] as const

type Shown = Partial<Pick<Entry, 'also' | 'detail' | 'keys'>>

/** Returns a command with its icon in the size of the palette. */
export function command(
  id: string,
  Icon: LucideIcon,
  text: string,
  run: () => void,
  shown: Shown = {},
): Entry {
  return { id, group: 'Commands', icon: <Icon size={16} />, text, run, ...shown }
}
