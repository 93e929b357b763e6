import { Button, Menu } from '@mantine/core'
import { Upload, X } from 'lucide-react'
import type { RefObject } from 'react'
import type { OccurrenceFilter } from '../../entities/occurrence/use-occurrences.ts'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { optionsOf } from '../../ui/options-of.ts'
import classes from './activity.module.css'
import { mostChecked, type useChecks } from './use-checks.ts'
import { exportFormats, type useExport } from './use-export.ts'

/** At the foot of the list: how many rows are checked, and their export. Nothing without either. */
export function SelectionBar(props: {
  readonly checked: ReturnType<typeof useChecks>
  readonly exporting: ReturnType<typeof useExport>
  /** The selection that the filters make. */
  readonly selected: OccurrenceFilter
  /** How many rows that is; null while unknown. */
  readonly total: number | null
  readonly list: RefObject<{ focus(): void } | null>
}) {
  const { checked, exporting, selected, list } = props
  const { ids, isAll } = checked
  const total = props.total === null ? null : formatNumber(props.total)
  if (exporting.count !== null)
    return (
      <div className={classes.selection} role="status">
        <span className="w6 num">Exporting, {formatCount(exporting.count, 'row')} so far</span>
        <span className="push" />
        <Button onClick={exporting.stop}>Stop</Button>
      </div>
    )
  if (ids.size === 0 && !isAll) return null
  return (
    <section className={classes.selection} aria-label="Selection">
      <span className="w6 num">
        {isAll ? `All ${total ?? ''} selected` : `${formatCount(ids.size, 'row')} selected`}
      </span>
      {!isAll && (
        <Button
          size="xs"
          variant="subtle"
          title={`All that the filters select. One by one, at most ${mostChecked} rows are selected.`}
          onClick={checked.checkAll}
        >
          All {total}
        </Button>
      )}
      <span className="push" />
      <Menu position="top-end">
        <Menu.Target>
          <Button leftSection={<Upload />}>Export…</Button>
        </Menu.Target>
        <Menu.Dropdown>
          {optionsOf(exportFormats).map(({ value, label }) => (
            <Menu.Item
              key={value}
              onClick={() => exporting.save(isAll ? selected : { ids: [...ids].join() }, value)}
            >
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <IconButton
        icon={X}
        label="Clear the selection"
        onClick={() => {
          checked.clear()
          // This button disappears.
          list.current?.focus()
        }}
      />
    </section>
  )
}
