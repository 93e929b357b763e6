import { NumberInput, Switch } from '@mantine/core'
import { useState } from 'react'
import type { z } from 'zod'
import classes from './threshold.module.css'

/** The limit of a threshold. Its schema has the least and the largest value. */
type Limit = {
  readonly schema: z.ZodInt
  readonly value: number
  /** With its space: “ h”. */
  readonly suffix: string
  readonly save: (value: number) => Promise<unknown>
}

/** A switch that says when an alert opens, with its limit. Each change is saved at once. */
export function Threshold(props: {
  readonly label: string
  readonly isOn: boolean
  readonly switchTo: (isOn: boolean) => void
  readonly limit?: Limit
}) {
  const { label, isOn, switchTo, limit } = props
  return (
    <div className={classes.threshold}>
      <Switch label={label} checked={isOn} onChange={event => switchTo(event.currentTarget.checked)} />
      {limit !== undefined && <LimitField label={`${label}, limit`} {...limit} />}
    </div>
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
