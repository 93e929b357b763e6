import { NumberInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useId } from 'react'
import { fieldErrors } from '../../client/problem.ts'
import { SaveBar } from '../../ui/save-bar.tsx'
import { toastUnlessInvalid } from '../../ui/toasts.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useUnsavedGuard } from '../../ui/use-unsaved-guard.tsx'
import classes from './settings-page.module.css'

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

/** The scrolling part of a settings page, above its save bar. */
export function PageContent({ children }: { readonly children: ReactNode }) {
  return (
    <div className={classes.content} data-scroll-room>
      {children}
    </div>
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

/**
 * Returns the draft of a form with the bar that saves it. Asks before changes are lost.
 *
 * @param options.saved the values as they are saved now.
 * @param options.save saves a draft and reports success. What it throws is shown beside the fields or in a toast.
 * @param options.canSave false while a field holds a value that cannot be sent.
 * @param options.name completes “What you changed in …”.
 * @param options.failed the title of that toast.
 * @param options.summary completes “Unsaved: …”.
 */
export function useSettingsForm<T extends object>(options: {
  readonly saved: T
  readonly save: (draft: T) => Promise<void>
  readonly canSave?: (draft: T) => boolean
  readonly name: string
  readonly failed: string
  readonly summary: (draft: T, changed: readonly string[]) => string
  readonly note?: string
  readonly saveLabel?: string
}) {
  const { canSave = () => true, name, failed, summary, note, saveLabel } = options
  const { draft, changed, isDirty, set, discard, settle } = useDraft(options.saved)
  const saving = useMutation({
    mutationFn: options.save,
    onSuccess: (_saved, sent) => settle(sent),
    onError: error => toastUnlessInvalid(failed, error, [{ label: 'Try again', run: save }]),
  })
  function save(): void {
    if (canSave(draft)) saving.mutate(draft)
  }
  useUnsavedGuard({
    isDirty,
    what: name,
    save: async () => canSave(draft) && saving.mutateAsync(draft).then(() => true),
  })
  function change(next: Partial<T>): void {
    set(next)
    saving.reset()
  }
  function discardAll(): void {
    discard()
    saving.reset()
  }
  const saveBar = isDirty && (
    <SaveBar
      what={`Unsaved: ${summary(draft, changed)}`}
      note={note}
      saveLabel={saveLabel}
      saving={saving.isPending}
      onSave={save}
      onDiscard={discardAll}
    />
  )
  return { draft, change, problems: fieldErrors(saving.error), saveBar }
}
