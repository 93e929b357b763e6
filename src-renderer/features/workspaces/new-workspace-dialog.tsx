import { Button, Modal, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api } from '../../client/client.ts'
import { fieldErrors, problemOf } from '../../client/problem.ts'
import classes from '../../ui/dialog.module.css'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'
import { useIsHere } from '../../ui/use-is-here.ts'
import { useReturnFocus } from '../../ui/use-return-focus.ts'
import { useWorkspace } from './current-workspace.tsx'

/** Makes a workspace and opens it. */
export function NewWorkspaceDialog({ onClose }: { readonly onClose: () => void }) {
  useReturnFocus()
  const isHere = useIsHere()
  const [name, setName] = useState('')
  const { choose } = useWorkspace()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const create = useMutation(
    api.workspaces.create.mutationOptions({
      async onSuccess(workspace) {
        await queries.invalidateQueries({ queryKey: api.workspaces.key() })
        toastDone(`Workspace “${workspace.name}” created`)
        if (!isHere()) return
        choose(workspace.workspaceId)
        onClose()
        void navigate({ to: '/connections' })
      },
      onError(error) {
        if (problemOf(error).issues.length === 0) toastProblem('The workspace was not created', error)
      },
    }),
  )
  function submit(event: FormEvent) {
    event.preventDefault()
    if (!create.isPending) create.mutate({ name })
  }
  return (
    <Modal opened onClose={onClose} title="New workspace">
      <form onSubmit={submit} className={classes.form}>
        <TextInput
          label="Name"
          description="A workspace has connections and a public URL of its own."
          value={name}
          onChange={event => {
            setName(event.currentTarget.value)
            create.reset()
          }}
          error={create.error === null ? undefined : fieldErrors(problemOf(create.error)).name}
          data-autofocus
        />
        <div className={classes.foot}>
          <Button variant="subtle" size="md" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" variant="filled" size="md" loading={create.isPending}>
            Create workspace
          </Button>
        </div>
      </form>
    </Modal>
  )
}
