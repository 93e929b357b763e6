import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Searched } from '#shared/model/searched.ts'
import type { Findable } from '../../ui/rank.ts'

/** One line of the palette. */
export type Entry = Findable & {
  readonly group: (typeof groups)[number]
  readonly icon: ReactNode
  /** Whether the text is an identifier. */
  readonly mono?: boolean
  /** Its connection: “Acme Orders ERP”. */
  readonly detail?: string
  /** The effect of ↵, if the text does not say it. */
  readonly does?: string
  /** The shortcut that does the same. */
  readonly keys?: string
  readonly run: () => void
}

export type Entries = {
  readonly entries: readonly Entry[]
  /** Whether the service is still being asked for some. */
  readonly isSearching: boolean
  /** How far back a search is that has not found anything yet; null once it has, or has reached the end. */
  readonly searched?: Searched | null
}

/**
 * In the order shown. Event types are declared; received events are found by their content. Activity follows what it
 * comes from: the id of a run or of a conversation is also in its messages and calls.
 */
export const groups = [
  'Connections',
  'Workflows',
  'Actions',
  'Event types',
  'Received events',
  'Runs',
  'Conversations',
  'Activity',
  'Stories',
  'Commands',
] as const

/** Returns a command with its icon in the palette's size. */
export function command(
  Icon: LucideIcon,
  text: string,
  run: () => void,
  more: Pick<Entry, 'also' | 'detail' | 'keys' | 'isFallback'> = {},
): Entry {
  return { group: 'Commands', icon: <Icon size={16} />, text, run, ...more }
}
