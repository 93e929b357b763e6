import { ActionIcon, Menu } from '@mantine/core'
import { Ellipsis, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'

/** The menu of a thing, behind a button with three dots. */
export function MoreMenu(props: {
  /** The name of the thing. */
  readonly name: string
  readonly title?: string
  readonly width: number
  readonly size?: 'xs' | 'sm' | undefined
  readonly tabIndex?: number | undefined
  readonly children: ReactNode
}) {
  const { name, title = `More for ${name}`, width, size = 'sm', tabIndex, children } = props
  return (
    <Menu position="bottom-end" width={width}>
      <Menu.Target>
        <ActionIcon size={size} aria-label={`More for ${name}`} title={title} tabIndex={tabIndex}>
          <Ellipsis />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  )
}

/** The last item of a menu, which deletes the thing. */
export function DeleteItem(props: { readonly isOnly?: boolean; readonly onClick: () => void }) {
  const { isOnly = false, onClick } = props
  return (
    <>
      {!isOnly && <Menu.Divider />}
      <Menu.Item leftSection={<Trash2 color="var(--cc-bad)" />} color="var(--cc-bad)" onClick={onClick}>
        Delete
      </Menu.Item>
    </>
  )
}
