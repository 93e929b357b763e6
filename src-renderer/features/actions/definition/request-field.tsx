import { Button, Combobox, InputBase, useCombobox } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { ChevronDown, CircleCheck, Plus } from 'lucide-react'
import { useEffect, useId } from 'react'
import { Method as HttpMethod } from '#shared/model/method.ts'
import { useCurrentConnection } from '../../../entities/connection/current-connection.tsx'
import { Method } from '../../../ui/badges.tsx'
import { Problem } from '../../../ui/field-problem.tsx'
import { blankRow, fieldsOf } from '../action-draft.ts'
import { calledUrl } from '../called-url.ts'
import type { DraftForm } from '../use-action-draft.ts'
import classes from './definition.module.css'
import { Field } from './field.tsx'
import { PathField } from './path-field.tsx'
import { openPlaceholders, parameterFor, pathPieces } from './placeholders.ts'

/** The method and the path, and the URL that they call. */
export function RequestField({ form }: { readonly form: DraftForm }) {
  const { connectionId, baseUrl } = useCurrentConnection()
  const { draft, errorOf, set } = form
  const id = useId()
  const error = errorOf('path')
  const action = fieldsOf(draft)
  const [open] = openPlaceholders(action)
  const hasPlaceholder = pathPieces(action).some(({ kind }) => kind === 'filled')
  function fill(name: string): void {
    const row = { ...blankRow.parameters(), ...parameterFor(name) }
    form.setRows('parameters', before => [...before, row])
    form.goTo(`parameters.${row.id}.description`)
  }
  return (
    <Field
      id={`${id}-path`}
      name="path"
      label="Request"
      hint="the path is appended to the base URL"
      className={classes.stays}
    >
      <div className={classes.request}>
        <MethodField method={draft.method} onChange={method => set({ method }, 'method')} />
        <div className={classes.url} data-error={error !== undefined || undefined}>
          <span className="t3 cut">
            {baseUrl ?? 'no base URL'}
            {/^[/?]/.test(draft.path) ? '' : '/'}
          </span>
          <PathField
            form={form}
            id={`${id}-path`}
            isWrong={error !== undefined}
            describedBy={`${id}-below`}
          />
        </div>
        {open === undefined ? (
          hasPlaceholder && (
            <span className={classes.allFilled}>
              <CircleCheck size={14} /> every placeholder has a parameter
            </span>
          )
        ) : (
          <Button size="sm" leftSection={<Plus />} onClick={() => fill(open)}>
            Add parameter
          </Button>
        )}
      </div>
      <div id={`${id}-below`} className={classes.called}>
        {error !== undefined ? (
          <Problem message={error} />
        ) : baseUrl === null ? (
          <span className={classes.noBaseUrl}>
            The connection has no base URL, so its actions cannot be called.
            <Link className="link" to="/connections/$connectionId" params={{ connectionId }}>
              Set it in Overview
            </Link>
          </span>
        ) : (
          <CalledUrl baseUrl={baseUrl} form={form} />
        )}
      </div>
    </Field>
  )
}

function CalledUrl({ baseUrl, form }: { readonly baseUrl: string; readonly form: DraftForm }) {
  const url = calledUrl(baseUrl, form.draft)
  // The field above shows the same URL.
  if (url === null || url.fixed + url.query === baseUrl + form.draft.path) return null
  return (
    <span className="sm t3">
      Calls{' '}
      <code>
        {form.draft.method} {url.fixed}
        {url.query !== '' && <span className="acc">{url.query}</span>}
      </code>
    </span>
  )
}

function MethodField(props: {
  readonly method: HttpMethod
  readonly onChange: (method: HttpMethod) => void
}) {
  const { method, onChange } = props
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() })
  const { dropdownOpened, selectActiveOption } = combobox
  useEffect(() => {
    // Once the options are there.
    if (dropdownOpened) selectActiveOption()
  }, [dropdownOpened, selectActiveOption])
  return (
    <Combobox
      store={combobox}
      onOptionSubmit={value => {
        onChange(HttpMethod.parse(value))
        combobox.closeDropdown()
      }}
    >
      <Combobox.Target targetType="button">
        <InputBase
          component="button"
          type="button"
          size="sm"
          aria-label={`Method: ${method}`}
          rightSection={<ChevronDown size={12} className="t3" />}
          rightSectionPointerEvents="none"
          onClick={() => combobox.toggleDropdown()}
          styles={{ input: { paddingInlineStart: 6 } }}
        >
          <Method method={method} />
        </InputBase>
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options aria-label="Method">
          {HttpMethod.options.map(value => (
            <Combobox.Option key={value} value={value} active={value === method}>
              <Method method={value} />
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}
