import { Bell } from 'lucide-react'
import type { NotifyStep } from '#shared/workflows/steps/notify.ts'
import { TemplateRow } from './field-parts.tsx'
import { messageOf, plain, type StepView, useStepEditing } from './step-view.ts'
import { TemplateText } from './template-text.tsx'

export const notify: StepView<NotifyStep> = {
  ...plain,
  name: 'Notify',
  purpose: 'Shows a message in Activity and as a desktop notification',
  icon: Bell,
  key: 'notify',
  blank: key => ({ key, type: 'notify', message: '' }),
  title: () => notify.name,
  outcome: (_step, { input, output }) => messageOf(input) ?? messageOf(output),
  Summary: ({ step: { message } }) => (message === '' ? 'No message yet' : <TemplateText text={message} />),
  Fields: ({ step, path }) => {
    const { setStep } = useStepEditing()
    return (
      <TemplateRow
        label="Message"
        path={[...path, 'message']}
        step={path}
        value={step.message}
        onChange={(message, field) => setStep(path, { ...step, message }, field)}
      />
    )
  },
}
