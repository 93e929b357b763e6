import { NumberInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useId } from 'react'
import type { SettingsChange } from '#shared/model/settings.ts'
import { api, client } from '../../client/client.ts'
import { fieldErrors } from '../../client/problem.ts'
import { SaveBar } from '../../ui/save-bar.tsx'
import { toastDone, toastUnlessInvalid } from '../../ui/toasts.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useUnsavedGuard } from '../../ui/use-unsaved-guard.tsx'
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

/** A row with a number in whole units, or in parts of a larger one. */
export function NumberRow(props: {
  readonly label: string
  readonly help: string
  /** Such as MiB, with its size in what is saved; left out for whole numbers. */
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

/**
 * Returns settings as they are being changed, with the bar that saves them; asks before changes are lost.
 *
 * @param options.what “Limits”.
 * @param options.note says what follows from saving.
 * @param options.summary says what is unsaved.
 */
export function useSettingsForm<T extends object>(options: {
  readonly saved: T
  readonly toChange: (draft: T) => SettingsChange
  readonly what: string
  readonly note: string
  readonly summary: (draft: T, changed: readonly string[]) => string
}) {
  const { saved, toChange, what, note, summary } = options
  const queries = useQueryClient()
  const { draft, changed, isDirty, set, discard, settle } = useDraft(saved)
  const save = useMutation({
    mutationFn: (sent: T) => client.settings.update(toChange(sent)),
    async onSuccess(_saved, sent) {
      await queries.invalidateQueries({ queryKey: api.settings.key() })
      settle(sent)
      toastDone(`${what} saved`, note)
    },
    onError: error => toastUnlessInvalid(`${what} not saved`, error),
  })
  useUnsavedGuard({
    isDirty,
    what: `the ${what.toLowerCase()}`,
    save: () => save.mutateAsync(draft).then(() => true),
  })
  function change(next: Partial<T>): void {
    set(next)
    save.reset()
  }
  function discardAll(): void {
    discard()
    save.reset()
  }
  const saveBar = isDirty && (
    <SaveBar
      what={`Unsaved: ${summary(draft, changed)}`}
      saving={save.isPending}
      onSave={() => save.mutate(draft)}
      onDiscard={discardAll}
    />
  )
  return { draft, change, problems: fieldErrors(save.error), saveBar }
}
