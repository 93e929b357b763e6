import { Button, Modal, PasswordInput, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import classes from '../../ui/dialog.module.css'
import { useReturnFocus } from '../../ui/use-return-focus.ts'
import { useSetVariable } from './use-set-variable.ts'

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
  const [name, setName] = useState(props.name ?? '')
  const [value, setValue] = useState('')
  const { set, problems } = useSetVariable(name => {
    onSet(name)
    onClose()
  })

  function submit(event: FormEvent): void {
    event.preventDefault()
    if (!set.isPending) set.mutate({ name, value })
  }

  return (
    <Modal opened onClose={onClose} title={props.name === null ? 'New variable' : `Set ${props.name}`}>
      <form onSubmit={submit} className={classes.form}>
        {props.name === null && (
          <TextInput
            label="Name"
            value={name}
            onChange={event => {
              setName(event.currentTarget.value)
              set.reset()
            }}
            error={problems.name}
            classNames={{ input: 'mono' }}
            data-autofocus
          />
        )}
        <PasswordInput
          label="Value"
          description="Filled into headers on the server when a call is made, and never shown again."
          value={value}
          onChange={event => {
            setValue(event.currentTarget.value)
            set.reset()
          }}
          error={problems.value}
          autoComplete="off"
          data-autofocus={props.name !== null || undefined}
        />
        <div className={classes.foot}>
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
