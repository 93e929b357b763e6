import { Button, Modal } from '@mantine/core'
import { useReturnFocus } from '../../ui/focus.ts'

/** Asks before a text that was typed is lost. */
export function DiscardDialog(props: { readonly onKeep: () => void; readonly onDiscard: () => void }) {
  useReturnFocus()
  const { onKeep, onDiscard } = props
  return (
    // Escape is the import dialog's to hear: it knows which of the two is meant.
    <Modal opened onClose={onKeep} closeOnEscape={false} title="Discard what you typed?" zIndex={300}>
      <p className="t2">The text has not been imported, and it is kept nowhere else.</p>
      <div className="row" style={{ justifyContent: 'flex-end', marginTop: 16 }}>
        <Button size="md" onClick={onKeep} data-autofocus>
          Keep editing
        </Button>
        <Button size="md" variant="filled" color="red" onClick={onDiscard}>
          Discard
        </Button>
      </div>
    </Modal>
  )
}
