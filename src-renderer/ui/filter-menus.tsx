import { Button, Menu } from '@mantine/core'
import { ChevronDown } from 'lucide-react'
import { ChoiceItems } from './choice-items.tsx'
import type { AnyPlace, Filters, Place } from './filters.ts'
import { optionsOf } from './options-of.ts'

/** The menus of the filters that have one, each a button that shows the choice. */
export function FilterMenus<Of extends Filters>(props: {
  readonly filters: Of
  readonly place: Place<Of>
  /** Replaces parts of the address. */
  change(next: AnyPlace): void
  /** The choices that are not in the address, by filter; by default that of everything. */
  readonly usual?: AnyPlace
  /** The choices of filters without labels, by filter. */
  readonly options?: Readonly<Record<string, readonly { readonly value: string; readonly label: string }[]>>
}) {
  const { filters, place, change, usual = {}, options = {} } = props
  return Object.entries(filters).map(([name, { menu, labels = {} }]) => {
    if (menu === undefined) return null
    const none = usual[name] ?? ''
    const chosen = String(Reflect.get(place, name) ?? none)
    const all = [
      ...(menu.all === undefined ? [] : [{ value: '', label: menu.all }]),
      ...(options[name] ?? optionsOf(labels)),
    ]
    const label = all.find(({ value }) => value === chosen)?.label ?? chosen
    return (
      <Menu key={name} position="bottom-start">
        <Menu.Target>
          <Button size="xs" maw={180} rightSection={<ChevronDown size={12} />} title={label}>
            <span className="sr">{menu.name}: </span>
            <span className="cut">{label}</span>
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah={360} style={{ overflowY: 'auto' }}>
          <ChoiceItems
            value={chosen}
            onChoose={value => change({ [name]: value === none ? undefined : value })}
            options={all}
          />
        </Menu.Dropdown>
      </Menu>
    )
  })
}
