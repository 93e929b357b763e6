import { NumberInput } from '@mantine/core'
import { useState } from 'react'
import type { z } from 'zod'
import { WriteSwitch } from '../../ui/write-button.tsx'
import classes from './threshold.module.css'

/** The limit of a threshold. Its schema has the least and the largest value. */
type Limit = {
  readonly schema: z.ZodInt
  readonly value: number
  /** With its space: “ h”. */
  readonly suffix: string
  readonly save: (value: number) => Promise<unknown>
}

type ThresholdProps = {
  readonly label: string
  readonly isOn: boolean
  readonly switchTo: (isOn: boolean) => Promise<unknown>
  readonly limit?: Limit
  readonly help?: string
}

/** How each threshold of a record is shown. A missing one does not compile. */
export type ThresholdRows<Watch, Change extends object> = {
  readonly [Name in keyof Change]-?: (
    watch: Watch,
    save: (change: Change) => Promise<unknown>,
  ) => ThresholdProps
}

/** A switch that says when an alert opens, with its limit. Each change is saved at once. */
export function Threshold({ label, isOn, switchTo, limit, help }: ThresholdProps) {
  return (
    <>
      <div className={classes.threshold}>
        <WriteSwitch
          label={label}
          checked={isOn}
          // A change that was not saved is told by its command.
          onChange={event => void switchTo(event.currentTarget.checked).catch(() => {})}
        />
        {limit !== undefined && <LimitField label={`${label}, limit`} {...limit} />}
      </div>
      {help !== undefined && <p className="sm t3">{help}</p>}
    </>
  )
}

/** A number that is saved when its field is left, or by Enter. It is brought into its bounds first. */
function LimitField({ label, schema, value, suffix, save }: Limit & { readonly label: string }) {
  const [edited, edit] = useState<number | string | null>(null)
  const [least, most] = [schema.minValue ?? 1, schema.maxValue ?? Number.MAX_SAFE_INTEGER]

  function leave(): void {
    // An empty field keeps the limit: switching the alert off is what the switch is for.
    const next = edited === null || edited === '' ? value : Math.min(most, Math.max(least, Number(edited)))
    if (next === value) edit(null)
    else {
      edit(next)
      // Then the saved limit is shown, which is the one before if it was not saved.
      void save(next)
        .catch(() => {})
        .then(() => edit(null))
    }
  }

  return (
    <NumberInput
      aria-label={label}
      min={least}
      max={most}
      allowDecimal={false}
      allowNegative={false}
      suffix={suffix}
      value={edited ?? value}
      onChange={edit}
      onBlur={leave}
      onKeyDown={event => {
        if (event.key === 'Enter') leave()
      }}
    />
  )
}
