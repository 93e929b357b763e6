import classes from './detail.module.css'
import type { Step } from './trail-of.ts'

/** What became of an event, step by step. */
export function Trail({ steps }: { readonly steps: readonly Step[] }) {
  return (
    <ol className={classes.trail} aria-label="What happened">
      {steps.map(({ name, detail, tone }) => (
        <li key={name} data-tone={tone}>
          <div className="w5 cut">{name}</div>
          <div className="t3 num cut">{detail}</div>
        </li>
      ))}
    </ol>
  )
}
