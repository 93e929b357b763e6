import { Button, Modal } from '@mantine/core'
import { useState } from 'react'
import type { Credentials } from '#shared/model/connection.ts'
import { client } from '../../client/client.ts'
import classes from '../../ui/dialog.module.css'
import { toastProblem } from '../../ui/toasts.tsx'
import { useReturnFocus } from '../../ui/use-return-focus.ts'

/** Says that the old inbound URL stops at once, then makes a new one. */
export function RegenerateTokenDialog(props: {
  readonly connectionId: string
  readonly onClose: () => void
  readonly onRegenerated: (credentials: Credentials) => void
}) {
  useReturnFocus()
  const { connectionId, onClose, onRegenerated } = props
  const [working, setWorking] = useState(false)

  async function regenerate() {
    setWorking(true)
    try {
      // Not by way of a mutation: those are remembered, and the answer carries the credentials.
      onRegenerated(await client.connections.regenerateToken({ connectionId }))
      onClose()
    } catch (error) {
      toastProblem('The inbound URL was not changed', error)
      setWorking(false)
    }
  }

  return (
    <Modal opened onClose={onClose} title="Make a new inbound URL" size={480}>
      <div className={classes.form}>
        <div className={classes.text}>
          <p>
            A new token is made and becomes part of the URL. The old URL stops at once, without a grace
            period: whoever sends to it gets 404 until they have the new one.
          </p>
          <p className="t2">The signing secret stays as it is, and so do actions and events.</p>
        </div>
        <div className={classes.foot}>
          <Button variant="subtle" size="md" onClick={onClose}>
            Cancel
          </Button>
          <Button variant="filled" color="red" size="md" loading={working} onClick={() => void regenerate()}>
            Stop the old URL and make a new one
          </Button>
        </div>
      </div>
    </Modal>
  )
}
