import { Button } from '@mantine/core'
import { ClipboardList, RotateCw } from 'lucide-react'
import { useState } from 'react'
import type { FormPart } from '#shared/model/conversation.ts'
import { StatusCode } from '../../ui/badges.tsx'
import { formatClock, formatMs } from '../../ui/format.ts'
import classes from './call.module.css'
import { shortArguments } from './call-labels.ts'
import { Exchange } from './call-line.tsx'
import conversation from './conversation.module.css'
import { FormCard } from './form-card.tsx'
import { Line, Running } from './line.tsx'

/** A form: to fill in while it is offered, then what became of it. */
export function Form(props: {
  readonly conversationId: string
  readonly form: FormPart
  readonly hasKeys: boolean
  readonly isOpen: boolean
  readonly onToggle: (formId: string) => void
}) {
  const { conversationId, form, hasKeys, isOpen, onToggle } = props
  const [isReopened, setIsReopened] = useState(false)
  const { action, state } = form
  if (state === 'offered' || (state === 'failed' && isReopened))
    return (
      <FormCard
        conversationId={conversationId}
        form={form}
        hasKeys={hasKeys && state === 'offered'}
        onCancel={state === 'failed' ? () => setIsReopened(false) : null}
      />
    )
  if (state === 'dismissed')
    return (
      <p className={conversation.after}>
        <span>
          Form <code>{action}</code> dismissed by you.
        </span>
      </p>
    )
  return (
    <>
      <FormLine form={form} isOpen={isOpen} onToggle={onToggle} />
      {state === 'failed' && (
        <div className={conversation.after}>
          <Button size="xs" variant="subtle" leftSection={<RotateCw />} onClick={() => setIsReopened(true)}>
            Fill in again
          </Button>
        </div>
      )}
    </>
  )
}

function FormLine(props: {
  readonly form: FormPart
  readonly isOpen: boolean
  readonly onToggle: (formId: string) => void
}) {
  const { form, isOpen, onToggle } = props
  const { formId, action, state, values, decidedAt, callId, status, totalMs, resultText, error } = form
  const given = isOpen ? '' : shortArguments(values ?? {})
  return (
    <Line
      id={formId}
      label={`Form ${action}`}
      isOpen={isOpen}
      onToggle={onToggle}
      head={
        <>
          <ClipboardList size={14} />
          <code className={`w5 ${classes.name}`}>{action}</code>
          {decidedAt !== null && (
            <span className="sm t3 cut">sent by you, {formatClock(decidedAt, Date.now())}</span>
          )}
          {given !== '' && <code className="t3 cut">{given}</code>}
        </>
      }
      end={
        state === 'sending' ? (
          <Running>Sending…</Running>
        ) : (
          <>
            <StatusCode status={status} text={status === null ? (error?.code ?? 'failed') : null} />
            {status !== null && totalMs !== null && <span className="sm t3 num">{formatMs(totalMs)}</span>}
          </>
        )
      }
    >
      {() => (
        <Exchange
          given={values ?? {}}
          givenLabel="Fields"
          callId={callId}
          resultText={resultText}
          sentence={state === 'failed' ? failureOf(form) : null}
          isFailed={state === 'failed'}
        />
      )}
    </Line>
  )
}

function failureOf({ status, error }: FormPart): string {
  return status === null ? (error?.message ?? 'There was no response.') : `The other side answered ${status}.`
}
