import { ActionIcon, Tooltip } from '@mantine/core'
import type { LucideIcon } from 'lucide-react'
import type { MouseEvent } from 'react'

/** A button with only an icon; its label is in the tooltip. */
export function IconButton(props: {
  readonly icon: LucideIcon
  readonly label: string
  readonly onClick: (event: MouseEvent) => void
  readonly size?: 'xs' | 'sm'
  readonly loading?: boolean
}) {
  const { icon: Icon, label, onClick, size = 'sm', loading = false } = props
  return (
    <Tooltip label={label}>
      <ActionIcon size={size} aria-label={label} onClick={onClick} loading={loading}>
        <Icon />
      </ActionIcon>
    </Tooltip>
  )
}
