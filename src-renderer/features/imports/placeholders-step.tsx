import { useCallback, useDeferredValue, useMemo, useState } from 'react'
import type { ImportPreview } from '#shared/model/import-preview.ts'
import { Delayed } from '../../ui/delayed.tsx'
import { formatNumber } from '../../ui/format.ts'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { type Unchecked, withChecked } from './choice.ts'
import { Foot, Working } from './import-foot.tsx'
import { partsLabel } from './import-labels.ts'
import { OperationList } from './operation-list.tsx'
import { constantsOf, countOperations, type Filling, type Fillings, operationsOf } from './operations.ts'
import { PlaceholderList } from './placeholder-list.tsx'
import classes from './placeholders-step.module.css'

/** The user's choices in the step. */
export type Filled = { readonly fillings: Fillings; readonly unchecked: Unchecked }

/**
 * Shows which operations become actions, and lets placeholders of their paths have constants. Keeps its state until it is
 * left, because each key would render the whole dialog again.
 */
export function PlaceholdersStep(props: {
  readonly preview: ImportPreview
  readonly initial: Filled
  readonly onBack: (filled: Filled) => void
  readonly onFill: (filled: Filled) => void
  /** Whether the preview with the constants is on its way. */
  readonly isBusy: boolean
  readonly onCancel: () => void
  /** Whether its keys work. */
  readonly hasKeys: boolean
}) {
  const { preview, initial, onBack, onFill, isBusy } = props
  const [fillings, setFillings] = useState(initial.fillings)
  const [unchecked, setUnchecked] = useState(initial.unchecked)
  const [query, setQuery] = useState('')
  const placeholders = useMemo(
    () => preview.placeholders.toSorted((one, other) => other.operations - one.operations),
    [preview.placeholders],
  )
  const operations = useMemo(() => operationsOf(preview), [preview])
  // A field shows its text before the list is counted again.
  const rested = useDeferredValue(fillings)
  const constants = useMemo(() => constantsOf(rested), [rested])
  const counted = useMemo(() => countOperations(operations), [operations])
  const held = operations.filter(one => one.placeholders.length > 0).length
  const ticked = counted.create.filter(({ toolName }) => isTicked(toolName, unchecked)).length
  const rest = operations.length - ticked
  const set = useCallback(
    (name: string, filling: Filling) => setFillings(before => new Map(before).set(name, filling)),
    [],
  )
  const goOn = () => onFill({ fillings, unchecked })
  useShortcut({ keys: 'mod+enter', label: 'Go on', group: 'Dialog' }, goOn, props.hasKeys)
  return (
    <>
      <section className={classes.step} aria-label="Operations and placeholders">
        <PlaceholderList placeholders={placeholders} fillings={fillings} onFill={set} operations={held} />
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
              <Share count={rest} tone="mute" />
            </div>
          </div>
          <OperationList
            counted={counted}
            constants={constants}
            query={query}
            onQuery={setQuery}
            unchecked={unchecked.actions}
            onCheck={(names, isChecked) =>
              setUnchecked(before => withChecked(before, 'actions', names, isChecked))
            }
            unlisted={preview.leftOutTotal - preview.leftOut.length}
          />
        </section>
      </section>
      <Foot
        status={
          isBusy ? (
            <Delayed ms={500}>
              <Working what="Reading the document" onCancel={props.onCancel} />
            </Delayed>
          ) : (
            <span className="t2">Nothing is written until you import.</span>
          )
        }
        back={{ label: 'Back', run: () => onBack({ fillings, unchecked }) }}
        on={{
          label: `Preview ${partsLabel(ticked, preview.eventTypes.create.length)}`.trim(),
          run: goOn,
          isBusy,
        }}
      />
    </>
  )
}

const isTicked = (toolName: string | null, { actions }: Unchecked) =>
  toolName !== null && !actions.has(toolName)

function Share({ count, tone }: { readonly count: number; readonly tone: string }) {
  return count > 0 && <span style={{ flex: count, background: `var(--cc-${tone}-dot)` }} />
}
