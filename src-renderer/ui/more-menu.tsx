import { ActionIcon, Menu } from '@mantine/core'
import { Ellipsis, type LucideIcon, Trash2 } from 'lucide-react'
import { Fragment, useEffect, useLayoutEffect, useRef } from 'react'
import { Keys } from './keys.tsx'
import { useReadOnly } from './read-only.ts'

/** An entry of a menu, which does something with its thing. */
export type MenuEntry = {
  readonly icon: LucideIcon
  readonly label: string
  readonly run: () => void
  /** The shortcut that does the same. */
  readonly keys?: string | false
  /** Further words that find it in the palette. */
  readonly also?: string
  /** Shown below a line, with what else cannot be undone. */
  readonly isDanger?: true
  readonly isOff?: boolean
  /** Whether it changes something at once, without a dialog. */
  readonly isWriting?: true
  /** Whether a line is above it. */
  readonly isRuled?: true
}

/** Returns the last entry of a menu, which deletes the thing. */
export function deleteEntry(run: () => void): MenuEntry {
  return { icon: Trash2, label: 'Delete', also: 'remove', isDanger: true, run }
}

type Shown = { readonly name: string; readonly entries: readonly MenuEntry[] }
const shownMenus = new Set<{ readonly current: Shown }>()

/** Returns the menus of the things that the screen shows: the palette has their entries as commands. */
export const listMenus = (): readonly Shown[] => [...shownMenus].map(({ current }) => current)

type MoreMenuProps = {
  /** The name of the thing. */
  readonly name: string
  readonly entries: readonly MenuEntry[]
  readonly label?: string
  readonly title?: string
  readonly width: number
  readonly size?: 'xs' | 'sm' | undefined
  readonly tabIndex?: number | undefined
  /** Whether the thing is one of many in a list, whose entries the palette does not have. */
  readonly isInRow?: boolean
  readonly onOpen?: () => void
}

/** The menu of a thing, behind a button with three dots. */
export function MoreMenu(props: MoreMenuProps) {
  const { name, entries, label = `More for ${name}`, title = label, width, size = 'sm', tabIndex } = props
  const { isInRow = false, onOpen } = props
  const shown = useRef<Shown>({ name, entries })
  useLayoutEffect(() => {
    shown.current = { name, entries }
  })
  useEffect(() => {
    if (isInRow) return
    shownMenus.add(shown)
    return () => void shownMenus.delete(shown)
  }, [isInRow])
  return (
    <Menu position="bottom-end" width={width} {...(onOpen && { onOpen })}>
      <Menu.Target>
        <ActionIcon size={size} aria-label={label} title={title} tabIndex={tabIndex}>
          <Ellipsis />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <MenuEntries entries={entries} />
      </Menu.Dropdown>
    </Menu>
  )
}

/** The items of a menu. */
export function MenuEntries({ entries }: { readonly entries: readonly MenuEntry[] }) {
  const readOnly = useReadOnly()
  return (
    <>
      {entries.map(({ icon: Icon, label, keys, isDanger, isRuled, isOff, isWriting, run }, index) => (
        <Fragment key={label}>
          {index > 0 && (isRuled || (isDanger && !entries[index - 1]?.isDanger)) && <Menu.Divider />}
          <Menu.Item
            leftSection={<Icon color={isDanger && 'var(--cc-bad)'} />}
            rightSection={keys && <Keys keys={keys} />}
            color={isDanger && 'var(--cc-bad)'}
            disabled={isOff === true || (isWriting === true && readOnly !== null)}
            title={isWriting === true ? (readOnly ?? undefined) : undefined}
            onClick={run}
          >
            {label}
          </Menu.Item>
        </Fragment>
      ))}
    </>
  )
}
