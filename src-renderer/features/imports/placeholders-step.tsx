import { useMemo, useState } from 'react'
import type { ImportPreview } from '#shared/model/import-preview.ts'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { type Unchecked, withChecked } from './choice.ts'
import { OperationList } from './operation-list.tsx'
import {
  type Counted,
  constantsOf,
  type Filling,
  type Fillings,
  fillingOf,
  type Operation,
} from './operations.ts'
import { PlaceholderField } from './placeholder-field.tsx'
import classes from './placeholders-step.module.css'

/** Fills in the placeholders of paths, and shows which operations become actions. */
export function PlaceholdersStep(props: {
  readonly preview: ImportPreview
  readonly operations: readonly Operation[]
  readonly counted: Counted
  readonly fillings: Fillings
  readonly onFill: (name: string, filling: Filling) => void
  readonly unchecked: Unchecked
  readonly onCheck: (unchecked: Unchecked) => void
}) {
  const { preview, operations, counted, fillings, onFill, unchecked, onCheck } = props
  const [query, setQuery] = useState('')
  const placeholders = useMemo(
    () => preview.placeholders.toSorted((one, other) => other.operations - one.operations),
    [preview.placeholders],
  )
  const constants = useMemo(() => constantsOf(fillings), [fillings])
  const held = operations.filter(one => one.placeholders.length > 0).length
  const ticked = counted.create.filter(({ toolName }) => isTicked(toolName, unchecked)).length
  const rest = operations.length - ticked
  return (
    <section className={classes.step} aria-label="Placeholders">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
      <section className={classes.fields} aria-label="Values" tabIndex={0}>
        <div className={classes.part}>
          <h3 className="h3 num">
            {formatCount(placeholders.length, 'placeholder')} in {formatCount(held, 'operation')}
          </h3>
          <p className="sm t2">
            The path of an action is fixed. Fill in what never changes. What stays out can be copied as a step
            of a workflow.
          </p>
        </div>
        {placeholders.map((placeholder, index) => (
          <PlaceholderField
            key={placeholder.name}
            placeholder={placeholder}
            filling={fillingOf(fillings, placeholder.name)}
            onFill={filling => onFill(placeholder.name, filling)}
            isFirst={index === 0}
          />
        ))}
      </section>
      <section className={classes.result} aria-label="Operations">
        <div className={classes.head}>
          <div className="row">
            <h3 className="h3 num" aria-live="polite">
              {formatNumber(ticked)} {ticked === 1 ? 'becomes an action' : 'become actions'}
            </h3>
            <span className="push sm t2 num nowrap">
              {formatNumber(rest)} {rest === 1 ? 'stays out' : 'stay out'}
            </span>
          </div>
          <div
            className={classes.bar}
            role="img"
            aria-label={`${formatNumber(ticked)} of ${formatNumber(operations.length)} become actions`}
          >
            <Share count={ticked} tone="ok" />
            <Share count={counted.open} tone="warn" />
            <Share count={rest - counted.open} tone="mute" />
          </div>
        </div>
        <OperationList
          counted={counted}
          constants={constants}
          query={query}
          onQuery={setQuery}
          unchecked={unchecked.actions}
          onCheck={(names, isChecked) => onCheck(withChecked(unchecked, 'actions', names, isChecked))}
          unlisted={preview.leftOutTotal - preview.leftOut.length}
        />
      </section>
    </section>
  )
}

const isTicked = (toolName: string | null, { actions }: Unchecked) =>
  toolName !== null && !actions.has(toolName)

function Share({ count, tone }: { readonly count: number; readonly tone: string }) {
  return count > 0 && <span style={{ flex: count, background: `var(--cc-${tone}-dot)` }} />
}
