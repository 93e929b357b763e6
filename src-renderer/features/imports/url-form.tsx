import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { variablesIn } from '#shared/model/action-headers.ts'
import { api } from '../../client/client.ts'
import { SetVariableDialog } from '../../entities/environment/set-variable-dialog.tsx'
import { Problem } from '../../ui/field-problem.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { fieldErrors, problemOf } from '../../ui/problem.ts'
import { TemplateField } from '../../ui/template-field.tsx'
import classes from './source-step.module.css'
import type { UrlSource } from './use-import-source.ts'

const monospace = { input: classes.monospace ?? '' }

/** The address of a document and a header to fetch it with. @param props.children further choices about it. */
export function UrlForm(props: {
  readonly source: UrlSource
  readonly description?: string
  readonly children?: ReactNode
}) {
  const { source, children, description = 'Fetched by the service, once.' } = props
  const { fields, error } = source
  const id = useId()
  const errors = error === null ? {} : fieldErrors(error)
  const { url: urlError, 'header.name': nameError, 'header.value': valueError } = errors
  const message = error === null ? null : problemOf(error).message
  const isElsewhere = urlError === undefined && nameError === undefined && valueError === undefined
  return (
    <div className={`stack ${classes.form}`}>
      <TextInput
        label="Address of the document"
        description={`${description} The header is not sent to another host.`}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        classNames={monospace}
        placeholder="https://api.example.com/openapi.json"
        type="url"
        spellCheck={false}
        autoComplete="off"
        data-autofocus
        value={fields.url}
        onChange={event => source.change({ url: event.currentTarget.value })}
        onPaste={event => {
          const url = event.clipboardData.getData('text/plain').trim()
          // A whole address is meant to be fetched.
          if (fields.url !== '' || !/^https?:\/\/\S+$/i.test(url)) return
          event.preventDefault()
          source.change({ url })
          source.fetch({ url })
        }}
        onKeyDown={event => {
          if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return
          event.preventDefault()
          source.fetch()
        }}
        error={urlError ?? (isElsewhere ? message : null)}
        rightSection={
          <IconButton
            icon={RotateCw}
            size="xs"
            label={source.isFetched ? 'Fetch again' : 'Fetch'}
            isOff={fields.url.trim() === ''}
            loading={source.isFetching}
            onClick={() => source.fetch()}
          />
        }
      />
      <fieldset className={classes.header}>
        <legend className="sm w5">
          Header <span className="t3">optional</span>
        </legend>
        <TextInput
          aria-label="Header name"
          classNames={monospace}
          size="sm"
          placeholder="X-Api-Key"
          spellCheck={false}
          value={fields.headerName}
          onChange={event => source.change({ headerName: event.currentTarget.value })}
          error={nameError !== undefined}
          aria-describedby={nameError === undefined ? undefined : id}
        />
        <HeaderValue
          value={fields.headerValue}
          onChange={headerValue => source.change({ headerValue })}
          isInvalid={valueError !== undefined}
          describedBy={valueError === undefined ? undefined : id}
        />
      </fieldset>
      {(nameError ?? valueError) !== undefined && <Problem id={id} message={nameError ?? valueError ?? ''} />}
      {children}
    </div>
  )
}

/** The value of the header, in which `{{NAME}}` is a variable of the service. */
function HeaderValue(props: {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly isInvalid: boolean
  readonly describedBy: string | undefined
}) {
  const { value, onChange } = props
  const { data: variables = [] } = useQuery(api.environment.list.queryOptions())
  const [isSetting, setIsSetting] = useState(false)
  const names = variables.filter(({ sources }) => sources.length > 0).map(({ name }) => name)
  return (
    <>
      <TemplateField
        label="Header value"
        value={value}
        onChange={onChange}
        names={names}
        unknownNames={variablesIn(value).filter(name => !names.includes(name))}
        onNewVariable={() => setIsSetting(true)}
        placeholder="Text, or {{VARIABLE}}"
        isInvalid={props.isInvalid}
        describedBy={props.describedBy}
      />
      {isSetting && (
        <SetVariableDialog
          name={null}
          onClose={() => setIsSetting(false)}
          onSet={name => onChange(`${value.replace(/\{\{\w*$/, '')}{{${name}}}`)}
        />
      )}
    </>
  )
}
