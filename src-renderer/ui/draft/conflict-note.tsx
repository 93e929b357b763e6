import { Button } from '@mantine/core'
import { restoreFocus } from '../focus.ts'
import { Note } from '../note.tsx'
import classes from './conflict-note.module.css'
import type { Conflict, Key } from './draft.ts'

/** Focuses the first choice between two values, if there is one. */
export function focusConflict(): void {
  document.querySelector<HTMLElement>('[data-conflict] button')?.focus()
}

/** Shows both values of the fields that were changed here and elsewhere, and lets the user choose one of each. */
export function ConflictNote<T>(props: {
  readonly conflicts: readonly Conflict<T>[]
  readonly canUndo: boolean
  readonly onKeepMine: (key: Key<T>) => void
  readonly onTakeTheirs: (key: Key<T>) => void
}) {
  const { conflicts, canUndo } = props
  /** Ends a conflict. The focus goes on to the next one, or to the screen. */
  const choose = (take: (key: Key<T>) => void, key: Key<T>) => () => {
    take(key)
    setTimeout(() => {
      focusConflict()
      restoreFocus([...document.querySelectorAll('main')])
    })
  }
  return (
    <section className={classes.conflict} role="status" aria-label="Changed elsewhere" data-conflict>
      <Note tone="warn">
        <p>
          <span className="w5">
            Also changed elsewhere: {conflicts.map(({ label }) => label).join(', ')}.
          </span>{' '}
          Another window, REST or the command line has saved another value. Choose one before you save.
          {canUndo && ' Undo brings your value back.'}
        </p>
        {conflicts.map(({ key, label, mine, theirs }) => (
          <dl key={key} className={classes.field}>
            <dt>Your {label}</dt>
            <dd className="grow">{mine}</dd>
            <dd>
              <Button size="xs" aria-label={`Keep mine: ${label}`} onClick={choose(props.onKeepMine, key)}>
                Keep mine
              </Button>
            </dd>
            <dt>Their {label}</dt>
            <dd className="grow">{theirs}</dd>
            <dd>
              <Button size="xs" aria-label={`Use theirs: ${label}`} onClick={choose(props.onTakeTheirs, key)}>
                Use theirs
              </Button>
            </dd>
          </dl>
        ))}
      </Note>
    </section>
  )
}
