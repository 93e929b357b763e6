import { Menu } from '@mantine/core'
import type { ReactNode } from 'react'

/** The items of a menu of which one is chosen. The menu opens at that one. */
export function ChoiceItems(props: {
  readonly value: string
  /** Also called when the chosen one is chosen again. */
  readonly onChoose: (value: string) => void
  readonly options: readonly {
    readonly value: string
    readonly label: ReactNode
    readonly end?: ReactNode
  }[]
}) {
  return props.options.map(({ value, label, end }) => (
    <Menu.RadioItem
      key={value}
      value={value}
      checked={value === props.value}
      data-autofocus={value === props.value || undefined}
      closeMenuOnClick
      rightSection={end}
      onClick={() => props.onChoose(value)}
    >
      {label}
    </Menu.RadioItem>
  ))
}
