import { Button, Modal, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../client/client.ts'
import { fieldErrors } from '../../client/problem.ts'
import { StatusCode } from '../../ui/badges.tsx'
import { JsonBlock } from '../../ui/code-block.tsx'
import { useReturnFocus } from '../../ui/focus.ts'
import { formatMs } from '../../ui/format.ts'
import { formatJson } from '../../ui/format-json.ts'
import { JsonEditor } from '../../ui/json-editor.tsx'
import { Keys } from '../../ui/keys.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { toastUnlessInvalid } from '../../ui/toasts.tsx'
import { useCurrentConnection } from '../connections/current-connection.tsx'
import classes from './detail.module.css'

/** What the dialog needs besides the editor, its answer included; and a line of it. */
const elsewherePx = 440
const linePx = 19

/** Changes an event and sends it, signed, through the connection's own listener; it stays open for another try. */
export function EditAndSendDialog(props: {
  readonly eventName: string
  readonly dataText: string
  readonly onClose: () => void
}) {
  useReturnFocus()
  const { connectionId } = useCurrentConnection()
  const [event, setEvent] = useState(props.eventName)
  const [dataText, setDataText] = useState(() => formatJson(props.dataText))
  const lines = Math.max(8, Math.min(18, Math.floor((window.innerHeight - elsewherePx) / linePx)))
  const send = useMutation(
    api.events.send.mutationOptions({
      onError: error => toastUnlessInvalid('The event was not sent', error),
    }),
  )
  const submit = () => {
    if (!send.isPending) send.mutate({ connectionId, event, dataText })
  }
  useShortcut({ keys: 'mod+enter', label: 'Send', group: 'Dialog' }, submit, { whileTyping: true })
  const problems = fieldErrors(send.error)
  return (
    <Modal opened onClose={props.onClose} title="Edit and send" size={680}>
      <div className={classes.dialog}>
        <TextInput
          label="Event name"
          value={event}
          error={problems.event}
          spellCheck={false}
          autoComplete="off"
          classNames={{ input: 'mono' }}
          onChange={change => {
            setEvent(change.currentTarget.value)
            if (send.isError) send.reset()
          }}
        />
        <div className="col" style={{ gap: 4 }}>
          <span className="sm w5 t2">data</span>
          <JsonEditor
            label="data"
            value={dataText}
            onChange={setDataText}
            minLines={8}
            maxLines={lines}
            autoFocus
          />
        </div>
        <div className={classes.answer} role="status">
          {send.data !== undefined && (
            <>
              <div className="row sm">
                <StatusCode status={send.data.status} />
                <span className="t3 num">{formatMs(send.data.totalMs)}</span>
              </div>
              <JsonBlock text={JSON.stringify(send.data.body)} label="Answer of the listener" wrap />
            </>
          )}
        </div>
        <div className={classes.dialogFoot}>
          <span className="sm t3 grow">Signed with a new timestamp and sent as a new event.</span>
          <Button variant="subtle" size="md" onClick={props.onClose}>
            Close
          </Button>
          <Button
            variant="filled"
            size="md"
            loading={send.isPending}
            onClick={submit}
            leftSection={<Send />}
            rightSection={<Keys keys="mod+enter" />}
          >
            Send
          </Button>
        </div>
      </div>
    </Modal>
  )
}
