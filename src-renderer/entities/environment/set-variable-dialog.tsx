import { PasswordInput, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { api } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { useStoredFields } from '../../ui/draft/use-stored-fields.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { fieldErrors } from '../../ui/problem.ts'
import { toastUnlessInvalid } from '../../ui/toasts.tsx'

/** The fields of a form for a variable. The browser never stores the value. */
export const variableFields = { name: 'name', value: { label: 'value', stored: null } }

/**
 * Sets an environment variable, whose value is never shown again.
 *
 * @param props.name null lets the user type it.
 */
export function SetVariableDialog(props: {
  readonly name: string | null
  readonly onClose: () => void
  readonly onSet: (name: string) => void
}) {
  const { onClose, onSet } = props
  const initial = { name: props.name ?? '', value: '' }
  const { values, change, note } = useStoredFields(`variable/${props.name ?? ''}`, variableFields, initial)
  const { name, value } = values
  const { set, problems } = useSetVariable(name => {
    onSet(name)
    onClose()
  })

  return (
    <FormDialog
      title={props.name === null ? 'New variable' : `Set ${props.name}`}
      submitLabel="Set variable"
      isBusy={set.isPending}
      onSubmit={() => set.mutate({ name, value })}
      onClose={onClose}
    >
      {note}
      {props.name === null && (
        <TextInput
          label="Name"
          value={name}
          onChange={event => {
            change({ name: event.currentTarget.value })
            set.reset()
          }}
          error={problems.name}
          classNames={{ input: 'mono' }}
          data-autofocus
        />
      )}
      <PasswordInput
        label="Value"
        description="The service fills it into headers when it makes a call. It is never shown again."
        value={value}
        onChange={event => {
          change({ value: event.currentTarget.value })
          set.reset()
        }}
        error={problems.value}
        autoComplete="off"
        data-autofocus={props.name !== null || undefined}
      />
    </FormDialog>
  )
}

/**
 * Returns a mutation that sets an environment variable, and what is wrong with `name` or `value`.
 *
 * @param onSet is called with the name after the lists that show variables are refreshed.
 */
export function useSetVariable(onSet: (name: string) => void) {
  const set = useMutation(
    api.environment.set.mutationOptions({
      // The cache must not keep the value.
      gcTime: 0,
      async onSuccess(_set, { name }) {
        await Promise.all([
          queries.invalidateQueries({ queryKey: api.environment.key() }),
          queries.invalidateQueries({ queryKey: api.imports.key() }),
        ])
        onSet(name)
      },
      onError: (error, { name }) => toastUnlessInvalid(`Variable “${name}” was not set`, error),
    }),
  )
  return { set, problems: fieldErrors(set.error) }
}
