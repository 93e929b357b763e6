import { ActionIcon, Tooltip } from '@mantine/core'
import type { LucideIcon } from 'lucide-react'
import type { MouseEvent, Ref } from 'react'
import { useWriting } from './read-only.ts'

/** A button with only an icon; its label is in the tooltip. */
export function IconButton(props: {
  readonly icon: LucideIcon
  readonly label: string
  readonly onClick: (event: MouseEvent) => void
  readonly size?: 'xs' | 'sm'
  readonly loading?: boolean
  /** Keeps the focus, unlike a disabled button. */
  readonly isOff?: boolean
  /** Whether it changes something at once. */
  readonly isWriting?: boolean
  readonly ref?: Ref<HTMLButtonElement> | undefined
}) {
  const {
    icon: Icon,
    label,
    onClick,
    size = 'sm',
    loading = false,
    isOff = false,
    isWriting = false,
    ref,
  } = props
  const writing = useWriting()
  return (
    <Tooltip label={label}>
      <ActionIcon
        ref={ref}
        size={size}
        aria-label={label}
        aria-disabled={isOff || undefined}
        data-off={isOff || undefined}
        onClick={isOff ? undefined : onClick}
        loading={loading}
        {...(isWriting && writing)}
      >
        <Icon />
      </ActionIcon>
    </Tooltip>
  )
}
