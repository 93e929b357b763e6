import { TextInput } from '@mantine/core'
import { ClipboardList, Send } from 'lucide-react'
import type { FormPart } from '#shared/model/conversation.ts'
import { client } from '../../client/client.ts'
import { useStoredFields } from '../../ui/draft/use-stored-fields.tsx'
import { dataWithoutSecrets } from '../../ui/draft/without-secrets.ts'
import { useTransientFocus } from '../../ui/focus.ts'
import { KeyButton } from '../../ui/keys.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { useCommand } from '../../ui/use-command.ts'
import { WriteButton } from '../../ui/write-button.tsx'
import classes from './conversation.module.css'
import { hostOf } from './server-labels.ts'

type Written = { readonly values: Readonly<Record<string, string>> }
const formField = {
  values: {
    label: 'fields',
    stored: (values: Written['values']) => dataWithoutSecrets(values),
    missing: 'fields with credentials',
  },
}

/** A form that a keyword of the message opens. Its fields are sent to its URL. */
export function FormCard(props: {
  readonly conversationId: string
  readonly form: FormPart
  /** Whether Escape is for this card from anywhere. */
  readonly hasKeys: boolean
  /** Closes a form that was sent before; null dismisses it. */
  readonly onCancel: (() => void) | null
}) {
  const { conversationId, form, hasKeys, onCancel } = props
  const { formId, action, keyword, fields, submitUrl } = form
  const initial: Written = { values: form.values ?? {} }
  const { values: written, change, note } = useStoredFields(`form/${formId}`, formField, initial)
  const { values } = written
  const submit = useCommand(client.conversations.submitForm, 'The form was not sent')
  const dismiss = useCommand(client.conversations.dismissForm, 'The form was not dismissed')
  const isBusy = submit.isPending || dismiss.isPending
  const transient = useTransientFocus(isBusy)
  const leave = () => {
    if (isBusy) return
    if (onCancel === null) dismiss.mutate({ conversationId, formId })
    else onCancel()
  }
  const send = () =>
    !isBusy && submit.mutate({ conversationId, formId, fields: values }, { onSuccess: () => onCancel?.() })
  useShortcut({ keys: 'escape', label: 'Dismiss the form', group: 'Conversation' }, leave, hasKeys)
  const set = (name: string, value: string) => change({ values: { ...values, [name]: value } })
  return (
    <section
      className={classes.card}
      aria-label={`Form ${action}`}
      style={{ containerType: 'inline-size' }}
      onKeyDown={event => {
        if (event.key === 'Escape') {
          event.preventDefault()
          leave()
        } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
          event.preventDefault()
          send()
        }
      }}
      {...transient}
    >
      <div className={classes.cardHead}>
        <ClipboardList size={16} />
        <h3 className="h3">
          <code>{action}</code>
        </h3>
        <span className="push" />
        <span className="sm t3 cut">Opened by “{keyword}”</span>
      </div>
      <form
        onSubmit={event => {
          event.preventDefault()
          send()
        }}
      >
        {note}
        <div className={classes.formFields}>
          {fields.map(name => (
            <TextInput
              key={name}
              label={name}
              value={Object.hasOwn(values, name) ? values[name] : ''}
              maxLength={4000}
              autoComplete="off"
              onChange={event => set(name, event.currentTarget.value)}
            />
          ))}
        </div>
        {fields.length === 0 && <p className={classes.cardText}>The form has no fields.</p>}
        <div className={classes.cardActions}>
          <WriteButton type="submit" variant="filled" leftSection={<Send />} disabled={isBusy}>
            Submit
          </WriteButton>
          <KeyButton variant="subtle" keys="escape" disabled={isBusy} onClick={leave}>
            {onCancel === null ? 'Dismiss' : 'Cancel'}
          </KeyButton>
        </div>
      </form>
      <p className={classes.consequence}>A real request. It sends the fields to {hostOf(submitUrl)}.</p>
    </section>
  )
}
