import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useId } from 'react'
import type { SettingsChange } from '#shared/model/settings.ts'
import { api } from '../../client/client.ts'
import { fieldErrors, problemOf } from '../../client/problem.ts'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'
import classes from './settings-page.module.css'

/** A part of a settings page: what it is about, and its rows. */
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

/** A row: its name on the left, its field and what to know on the right. */
export function FormRow(props: {
  readonly label: string
  /** The id of the field it names. */
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

/** The scrolling part of a settings page, above its save bar. */
export function PageContent({ children }: { readonly children: ReactNode }) {
  return (
    <div className={classes.content} data-scroll-room>
      {children}
    </div>
  )
}

/**
 * Saves settings of the service and says so; what is wrong with a field is told beside it.
 *
 * @param options.what “The limits”.
 * @param options.note what follows from it.
 * @param options.onSaved told what was sent, when it is kept.
 */
export function useSaveSettings(options: {
  readonly what: string
  readonly note: string
  readonly onSaved: (sent: SettingsChange) => void
}) {
  const { what, note, onSaved } = options
  const queries = useQueryClient()
  const save = useMutation(
    api.settings.update.mutationOptions({
      async onSuccess(_kept, sent) {
        await queries.invalidateQueries({ queryKey: api.settings.key() })
        onSaved(sent)
        toastDone(`${what} saved`, note)
      },
      onError(error) {
        if (problemOf(error).issues.length === 0) toastProblem(`${what} not saved`, error)
      },
    }),
  )
  return { save, problems: save.error === null ? {} : fieldErrors(problemOf(save.error)) }
}
