import { useState } from 'react'
import { fieldsOf } from '../action-draft.ts'
import type { DraftForm } from '../use-action-draft.ts'
import classes from './definition.module.css'
import { pathPieces } from './placeholders.ts'

/** The path. Its placeholders are marked: those with a parameter, and those without. */
export function PathField(props: {
  readonly form: DraftForm
  readonly id: string
  readonly isWrong: boolean
  readonly describedBy: string
}) {
  const { form, id, isWrong, describedBy } = props
  const [scrolled, setScrolled] = useState(0)
  return (
    <span className={classes.pathField}>
      <span className={classes.pathMarks} aria-hidden="true">
        <span style={{ transform: `translateX(${-scrolled}px)` }}>
          {pathPieces(fieldsOf(form.draft)).map(({ text, kind }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces are in the order of the text
            <mark key={index} data-mark={kind}>
              {text}
            </mark>
          ))}
        </span>
      </span>
      <input
        id={id}
        className={classes.path}
        value={form.draft.path}
        onChange={event => form.set({ path: event.currentTarget.value }, 'path')}
        // The marks lie behind the text, and move with it.
        onScroll={event => setScrolled(event.currentTarget.scrollLeft)}
        aria-label="Path"
        aria-invalid={isWrong}
        aria-describedby={describedBy}
        spellCheck={false}
      />
    </span>
  )
}
