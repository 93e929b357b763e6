import { Button, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type Ref, useState } from 'react'
import { api } from '../../../client/client.ts'
import { fieldErrors } from '../../../client/problem.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { toastUnlessInvalid } from '../../../ui/toasts.tsx'
import { useCurrentConnection } from '../../connections/current-connection.tsx'
import classes from './test.module.css'

/** Asks for the base URL that a connection needs before its actions can be called. */
export function BaseUrlForm({
  path,
  inputRef,
}: {
  readonly path: string
  readonly inputRef: Ref<HTMLInputElement>
}) {
  const { connectionId, name } = useCurrentConnection()
  const queries = useQueryClient()
  const [baseUrl, setBaseUrl] = useState('')
  const save = useMutation(
    api.connections.update.mutationOptions({
      onSuccess: () => queries.invalidateQueries({ queryKey: api.connections.key() }),
      onError: error => toastUnlessInvalid('The base URL was not saved', error),
    }),
  )
  const problem = fieldErrors(save.error).baseUrl
  function submit(event: FormEvent): void {
    event.preventDefault()
    save.mutate({ connectionId, baseUrl })
  }
  return (
    <EmptyState title="No base URL">
      Where is the external system? {name} calls its actions there: <code>{path}</code> is appended.
      <form className={classes.baseUrl} onSubmit={submit}>
        <TextInput
          ref={inputRef}
          className="grow"
          label="Base URL"
          placeholder="https://api.example.com"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          value={baseUrl}
          error={problem}
          onChange={event => {
            setBaseUrl(event.currentTarget.value)
            save.reset()
          }}
        />
        <Button type="submit" size="md" loading={save.isPending} disabled={baseUrl.trim() === ''}>
          Save base URL
        </Button>
      </form>
    </EmptyState>
  )
}
