import { Button, Modal, PasswordInput, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { EnvironmentName, EnvironmentValue } from '#shared/model/environment.ts'
import { api } from '../../client/client.ts'
import { problemOf } from '../../client/problem.ts'
import { Note } from '../../ui/note.tsx'
import { useReturnFocus } from '../../ui/use-return-focus.ts'

/**
 * Sets an environment variable, which never comes back out.
 *
 * @param props.name of the variable; null lets the user name it.
 * @param props.onSet told when it is set.
 */
export function SetVariableDialog(props: {
  readonly name: string | null
  readonly onClose: () => void
  readonly onSet: (name: string) => void
}) {
  useReturnFocus()
  const { onClose, onSet } = props
  const queries = useQueryClient()
  const [name, setName] = useState(props.name ?? '')
  const [value, setValue] = useState('')
  const [attempted, setAttempted] = useState(false)
  const set = useMutation(
    api.environment.set.mutationOptions({
      onSuccess: async () => {
        await queries.invalidateQueries({ queryKey: api.environment.key() })
        onSet(name)
        onClose()
      },
    }),
  )
  const wrongName = EnvironmentName.safeParse(name).error?.issues[0]?.message
  const wrongValue = EnvironmentValue.safeParse(value).error?.issues[0]?.message

  function submit(event: FormEvent): void {
    event.preventDefault()
    setAttempted(true)
    if (wrongName === undefined && wrongValue === undefined) set.mutate({ name, value })
  }

  return (
    <Modal
      opened
      onClose={onClose}
      title={props.name === null ? 'New variable' : `Set ${props.name}`}
      centered
    >
      <form onSubmit={submit} style={{ display: 'grid', gap: 12 }}>
        {props.name === null && (
          <TextInput
            label="Name"
            value={name}
            onChange={event => setName(event.currentTarget.value)}
            error={attempted ? wrongName : undefined}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            data-autofocus
          />
        )}
        <PasswordInput
          label="Value"
          description="Filled into headers on the server when a call is made, and never shown again."
          value={value}
          onChange={event => setValue(event.currentTarget.value)}
          error={attempted ? wrongValue : undefined}
          autoComplete="off"
          data-autofocus={props.name !== null || undefined}
        />
        {set.error !== null && (
          <Note tone="bad">
            {problemOf(set.error).message} <code>{problemOf(set.error).code}</code>
          </Note>
        )}
        <div className="row" style={{ justifyContent: 'flex-end' }}>
          <Button variant="subtle" size="md" onClick={onClose}>
            Cancel
          </Button>
          <Button variant="filled" size="md" type="submit" loading={set.isPending}>
            Set variable
          </Button>
        </div>
      </form>
    </Modal>
  )
}
