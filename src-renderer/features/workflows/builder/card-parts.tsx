import { CircleX, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Step } from '#shared/workflows/steps/kinds.ts'
import { isSamePath, type Path, pathKey } from '../../../entities/workflow/step-paths.ts'
import { formatCount } from '../../../ui/format.ts'
import classes from './builder.module.css'
import { useBuilder } from './builder-context.ts'
import { ownProblems } from './problems.ts'

/** The head of a card: selects it, and shows its number, figures and problems. */
export function CardHead(props: {
  readonly path: Path
  /** Null for the trigger. */
  readonly step: Step | null
  readonly icon: ReactNode
  readonly title: ReactNode
  readonly summary: ReactNode
  readonly grip?: ReactNode
  readonly end?: ReactNode
}) {
  const { path, step, icon, title, summary, grip, end } = props
  const { selected, select, problems } = useBuilder()
  const isSelected = selected !== null && isSamePath(selected, path)
  const own = ownProblems(problems, path, step)
  const worst = own.find(({ severity }) => severity === 'error') ?? own[0]
  return (
    <div className={classes.head}>
      {grip ?? <span className={classes.grip} />}
      <button
        type="button"
        className={classes.headButton}
        data-step={pathKey(path)}
        aria-expanded={isSelected}
        aria-current={isSelected ? 'step' : undefined}
        onClick={event => {
          if (!isSelected) return select(path)
          // Enter on the selected step goes on to its first field.
          const card = event.currentTarget.closest('article')
          card
            ?.querySelector<HTMLElement>(
              '[data-fields] :is(input, select, textarea, [contenteditable="true"])',
            )
            ?.focus()
        }}
      >
        <span className={classes.icon}>{icon}</span>
        <span className={`${classes.texts} grow`}>
          <span className="w5 cut">{title}</span>
          <span className="sm t3 cut">{summary}</span>
        </span>
        {worst !== undefined && (
          <span className={worst.severity === 'error' ? 'bad' : 'warn'} title={worst.message}>
            {worst.severity === 'error' ? <CircleX size={14} /> : <TriangleAlert size={14} />}
            <span className="sr">{formatCount(own.length, 'problem')}</span>
          </span>
        )}
        {end}
      </button>
    </div>
  )
}
