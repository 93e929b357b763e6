import { ActionIcon, Textarea, TextInput, Tooltip } from '@mantine/core'
import { Link2 } from 'lucide-react'
import { useEffect, useEffectEvent, useId, useRef } from 'react'
import type { Action } from '#shared/model/action.ts'
import { formatCount } from '../../../ui/format.ts'
import { Note } from '../../../ui/note.tsx'
import { RequestDock } from '../preview/request-dock.tsx'
import type { DraftForm } from '../use-action-draft.ts'
import classes from './definition.module.css'
import { Field } from './field.tsx'
import { HeaderRows } from './header-rows.tsx'
import { MappingRows } from './mapping-rows.tsx'
import { ParameterRows } from './parameter-rows.tsx'
import { RequestField } from './request-field.tsx'

/** The form of an action: its names, its request and its response mapping. */
export function DefinitionForm(props: {
  readonly form: DraftForm
  /** Null for a new one. */
  readonly action: Action | null
}) {
  const { form, action } = props
  const element = useRef<HTMLFormElement>(null)
  const { goal } = form

  const reach = useEffectEvent((field: string) => {
    const place = element.current?.querySelector(`[data-field="${CSS.escape(field)}"]`)
    place?.querySelector<HTMLElement>('input, textarea, select, [contenteditable="true"]')?.focus()
    form.reached()
  })
  useEffect(() => {
    if (goal !== null) reach(goal)
  }, [goal])
  // Focuses the name of a new action, unless the user returns to it.
  const begin = useEffectEvent(() => {
    if (goal === null && !form.isDirty) element.current?.querySelector('input')?.focus()
  })
  useEffect(() => {
    if (action === null) begin()
  }, [action])

  const whole = form.errorOf('')
  return (
    <>
      <form
        ref={element}
        className={classes.form}
        data-scroll-room
        aria-label="Definition"
        onSubmit={event => event.preventDefault()}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
        tabIndex={0}
      >
        {whole !== undefined && <Note tone="bad">{whole}</Note>}
        <NameFields form={form} />
        <RequestField form={form} />
        <HeaderRows form={form} />
        <ParameterRows form={form} />
        <MappingRows form={form} action={action} />
      </form>
      <RequestDock form={form} action={action} />
    </>
  )
}

/** The name for people, and the tool name and description for the assistant. */
function NameFields({ form }: { readonly form: DraftForm }) {
  const { draft, errorOf, set } = form
  const id = useId()
  return (
    <>
      <div className="pair">
        <Field id={`${id}-name`} name="name" label="Name">
          <TextInput
            id={`${id}-name`}
            size="sm"
            value={draft.name}
            onChange={event =>
              set({ name: event.currentTarget.value }, 'name', ...(draft.followsName ? ['toolName'] : []))
            }
            error={errorOf('name')}
            placeholder="Create a refund"
          />
        </Field>
        <ToolNameField form={form} id={`${id}-tool`} />
      </div>
      <Field
        id={`${id}-description`}
        name="description"
        label="Description"
        hint="tells the assistant when and how to use it"
        end={formatCount([...draft.description].length, 'character')}
      >
        <Textarea
          id={`${id}-description`}
          size="sm"
          autosize
          minRows={2}
          maxRows={10}
          value={draft.description}
          onChange={event => set({ description: event.currentTarget.value }, 'description')}
          error={errorOf('description')}
          placeholder="What it does, and when to use it: “Use when the customer asks for money back.”"
        />
      </Field>
    </>
  )
}

function ToolNameField({ form, id }: { readonly form: DraftForm; readonly id: string }) {
  const { draft, suggested, isNew, changed, errorOf, set } = form
  const { followsName, toolName } = draft
  // Offers another tool name only to a user who is changing one of the names.
  const isTouched = isNew || changed.includes('name') || changed.includes('toolName')
  const useSuggestion = () =>
    suggested !== undefined && set({ toolName: suggested, followsName: isNew }, 'toolName')
  return (
    <Field
      id={id}
      name="toolName"
      label="Tool name"
      end={
        followsName ? (
          'follows the name'
        ) : isTouched && suggested !== undefined && suggested !== toolName ? (
          <button type="button" className="link" onClick={useSuggestion}>
            Use suggestion: <code>{suggested}</code>
          </button>
        ) : undefined
      }
    >
      <TextInput
        id={id}
        size="sm"
        classNames={{ input: 'mono' }}
        value={toolName}
        onChange={event => set({ toolName: event.currentTarget.value, followsName: false }, 'toolName')}
        error={errorOf('toolName')}
        spellCheck={false}
        rightSection={
          followsName ? (
            <Tooltip label="Unlink from the name">
              <ActionIcon
                size="xs"
                aria-label="Unlink from the name"
                onClick={() => set({ toolName, followsName: false })}
              >
                <Link2 />
              </ActionIcon>
            </Tooltip>
          ) : undefined
        }
      />
    </Field>
  )
}
