import { TextInput } from '@mantine/core'
import { client } from '../../client/client.ts'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { StatusCode } from '../../ui/badges.tsx'
import { JsonBlock } from '../../ui/code-block.tsx'
import { useStoredFields } from '../../ui/draft/use-stored-fields.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { formatMs } from '../../ui/format.ts'
import { formatJson } from '../../ui/format-json.ts'
import { JsonEditor } from '../../ui/json-editor.tsx'
import { fieldErrors } from '../../ui/problem.ts'
import { useFormCommand } from '../../ui/use-command.ts'

/** The height of the dialog without the editor, and of one of its lines. */
const elsewherePx = 440
const linePx = 19

const fields = { event: 'event name', dataText: 'data' }

/** Changes an event and sends it, signed, to the connection's listener. Stays open for another try. */
export function EditAndSendDialog(props: {
  readonly eventName: string
  readonly dataText: string
  readonly onClose: () => void
}) {
  const { connectionId } = useCurrentConnection()
  const { values, change, note } = useStoredFields(
    `edit-and-send/${connectionId}/${props.eventName}`,
    fields,
    {
      event: props.eventName,
      dataText: formatJson(props.dataText),
    },
  )
  const { event, dataText } = values
  const lines = Math.max(8, Math.min(18, Math.floor((window.innerHeight - elsewherePx) / linePx)))
  const send = useFormCommand(client.events.send, 'The event was not sent')
  const problems = fieldErrors(send.error)
  return (
    <FormDialog
      title="Edit and send"
      size={680}
      submitLabel="Send"
      cancelLabel="Close"
      keys="mod+enter"
      enterSubmits={false}
      isBusy={send.isPending}
      foot={<span className="sm t3 grow">Signed with a new timestamp and sent as a new event.</span>}
      onSubmit={() => send.mutate({ connectionId, event, dataText })}
      onClose={props.onClose}
    >
      {note}
      <TextInput
        label="Event name"
        value={event}
        error={problems.event}
        spellCheck={false}
        autoComplete="off"
        classNames={{ input: 'mono' }}
        onChange={({ currentTarget }) => {
          change({ event: currentTarget.value })
          if (send.isError) send.reset()
        }}
      />
      <div className="col" style={{ gap: 4 }}>
        <span className="sm w5 t2">data</span>
        <JsonEditor
          label="data"
          value={dataText}
          onChange={text => change({ dataText: text })}
          minLines={8}
          maxLines={lines}
          autoFocus
        />
      </div>
      <div className="stack" role="status">
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
    </FormDialog>
  )
}
