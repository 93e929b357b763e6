import { NumberInput } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import classes from './section.module.css'

/** A titled part of a settings page. */
export function Section(props: {
  readonly title: string
  readonly intro?: ReactNode
  readonly action?: ReactNode
  readonly children: ReactNode
}) {
  const id = useId()
  return (
    <section className={classes.section} aria-labelledby={id}>
      <div className={classes.head}>
        <div className="grow">
          <h2 id={id} className="h2">
            {props.title}
          </h2>
          {props.intro !== undefined && <p className="t2">{props.intro}</p>}
        </div>
        {props.action}
      </div>
      {props.children}
    </section>
  )
}

/** A row: its label on the left, its field and help text on the right. */
export function FormRow(props: {
  readonly label: string
  /** The id of the field that it labels. */
  readonly field?: string
  readonly below?: ReactNode
  readonly help?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <div className={classes.row}>
      <div className={classes.label}>
        {props.field === undefined ? (
          <span className="w5">{props.label}</span>
        ) : (
          <label className="w5" htmlFor={props.field}>
            {props.label}
          </label>
        )}
        {props.below !== undefined && <div className="sm t3">{props.below}</div>}
      </div>
      <div className="col" style={{ gap: 4 }}>
        {props.children}
        {props.help !== undefined && <p className="sm t3">{props.help}</p>}
      </div>
    </div>
  )
}

/** The scrolling part of a settings page, and its save bar below. */
export function PageContent(props: { readonly saveBar?: ReactNode; readonly children: ReactNode }) {
  return (
    <>
      <div className={classes.content} data-scroll-room>
        {props.children}
      </div>
      {props.saveBar}
    </>
  )
}

/** A row with a number, saved in whole units and shown in a larger one where `unit` names it. */
export function NumberRow(props: {
  readonly label: string
  readonly help: string
  /** Such as MiB, with its size in saved units. */
  readonly unit?: { readonly name: string; readonly size: number }
  readonly step?: number
  readonly value: number
  readonly error: string | undefined
  readonly onChange: (value: number) => void
}) {
  const { label, help, unit, step = 1, value, error, onChange } = props
  const id = useId()
  const size = unit?.size ?? 1
  return (
    <FormRow label={label} field={id} help={help}>
      <NumberInput
        id={id}
        w={160}
        suffix={unit && ` ${unit.name}`}
        allowDecimal={unit !== undefined}
        decimalScale={3}
        step={step}
        value={value / size}
        error={error}
        onChange={typed => typeof typed === 'number' && onChange(Math.round(typed * size))}
      />
    </FormRow>
  )
}
