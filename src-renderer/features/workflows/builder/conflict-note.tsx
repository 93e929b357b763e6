import { Button } from '@mantine/core'
import { stepTitle } from '../../../entities/workflow/steps/views.ts'
import { formatClock } from '../../../ui/format.ts'
import { Note } from '../../../ui/note.tsx'
import { useNow } from '../../../ui/use-now.ts'
import classes from './builder.module.css'
import { useBuilder } from './builder-context.ts'
import { type Conflict, stepChanges } from './conflict.ts'

const mostListed = 4

/** Says that somebody else saved other values of what was changed here, and lets the user choose one of the two. */
export function ConflictNote(props: {
  readonly conflict: Conflict
  readonly onReload: () => void
  readonly onKeep: () => void
}) {
  const { conflict, onReload, onKeep } = props
  const { saved, fields, steps } = conflict
  const { actionsOf } = useBuilder()
  const now = useNow(60_000)
  const changes =
    steps === null ? [] : stepChanges(steps.before, steps.after, step => stepTitle(step, actionsOf))
  const more = changes.length - mostListed
  return (
    <div className={classes.conflict} data-conflict>
      <Note tone="warn">
        <p className="w5">
          Changed elsewhere at {formatClock(saved.updatedAt, now)}: {fields}
        </p>
        <p className="sm">
          Another window, REST or the command line saved this workflow while you were changing it here.
          {changes.length > 0 &&
            ` ${changes.slice(0, mostListed).join('. ')}${more > 0 ? `, and ${more} more` : ''}.`}
        </p>
        <div className={classes.conflictChoice}>
          <Button size="xs" onClick={onReload}>
            Use theirs
          </Button>
          <Button size="xs" onClick={onKeep}>
            Keep mine
          </Button>
          <span className="sm t3">Undo restores your version after “Use theirs”.</span>
        </div>
      </Note>
    </div>
  )
}
