import { Check } from 'lucide-react'
import classes from './import-dialog.module.css'

const names = { document: 'Document', preview: 'Preview', done: 'Done' }
const order = ['document', 'preview', 'done'] as const

export type Step = (typeof order)[number]

/** How far an import has come. */
export function Steps({ step }: { readonly step: Step }) {
  const at = order.indexOf(step)
  return (
    <ol className={classes.steps} aria-label="Steps">
      {order.map((name, index) => {
        const isPast = index < at || step === 'done'
        return (
          <li
            key={name}
            data-state={isPast ? 'past' : index === at ? 'now' : undefined}
            aria-current={index === at ? 'step' : undefined}
          >
            <span className={classes.number}>
              {isPast ? <Check size={12} aria-hidden="true" /> : index + 1}
            </span>
            {names[name]}
          </li>
        )
      })}
    </ol>
  )
}
