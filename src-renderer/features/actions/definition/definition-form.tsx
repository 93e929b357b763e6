import { useEffect, useEffectEvent, useRef } from 'react'
import type { Action } from '#shared/model/action.ts'
import { Note } from '../../../ui/note.tsx'
import type { DraftForm } from '../use-action-draft.ts'
import classes from './definition.module.css'
import { HeaderRows } from './header-rows.tsx'
import { MappingRows } from './mapping-rows.tsx'
import { NameFields } from './name-fields.tsx'
import { ParameterRows } from './parameter-rows.tsx'
import { RequestField } from './request-field.tsx'

/** What an action is called, what it calls, and with what. @param props.action null for a new one. */
export function DefinitionForm(props: { readonly form: DraftForm; readonly action: Action | null }) {
  const { form, action } = props
  const element = useRef<HTMLFormElement>(null)
  const { goal } = form

  const reach = useEffectEvent((field: string) => {
    const place = element.current?.querySelector(`[data-field="${CSS.escape(field)}"]`)
    const target =
      place?.querySelector('input, textarea, select, [contenteditable="true"]') ??
      place?.querySelector('button')
    if (target instanceof HTMLElement) target.focus()
    form.reached()
  })
  useEffect(() => {
    if (goal !== null) reach(goal)
  }, [goal])
  // A new one begins with its name, unless it is come back to.
  const begin = useEffectEvent(() => {
    if (goal === null && !form.isDirty) element.current?.querySelector('input')?.focus()
  })
  useEffect(() => {
    if (action === null) begin()
  }, [action])

  const whole = form.errorOf('')
  return (
    <form
      ref={element}
      className={classes.form}
      data-scroll-room
      aria-label="Definition"
      onSubmit={event => event.preventDefault()}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be within reach of the keyboard
      tabIndex={0}
    >
      {whole !== undefined && <Note tone="bad">{whole}</Note>}
      <NameFields form={form} />
      <RequestField form={form} />
      <HeaderRows form={form} />
      <ParameterRows form={form} />
      <MappingRows form={form} action={action} />
    </form>
  )
}
