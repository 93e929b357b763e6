import { Radio } from '@mantine/core'
import { isOpen, templatesOf } from '#shared/model/sender/sender.ts'
import { Proof } from '#shared/model/sender/sender-template.ts'
import { schemes } from '#shared/model/sender/templates.ts'
import { useCurrentConnection } from '../../../entities/connection/current-connection.tsx'
import { CodedText } from '../../../ui/coded-text.tsx'
import classes from './check-choice.module.css'
import { fieldsOf, type SenderDraft } from './sender-draft.ts'

/** Asks what is checked of a sender that does not sign, if there is a choice. */
export function CheckChoice(props: {
  readonly draft: SenderDraft
  readonly onEdit: (edit: Partial<SenderDraft>) => void
}) {
  const { draft, onEdit } = props
  const { sender } = useCurrentConnection()
  const { checks } = schemes[draft.scheme]
  if (checks.length === 0) return null
  function choose(value: string): void {
    const chosen = checks.find(({ template }) => template.verify === Proof.safeParse(value).data)
    if (chosen === undefined) return
    const { verify } = chosen.template
    // What is accepted by hand is accepted for one proof.
    const accepts =
      isOpen(verify) && sender.scheme === draft.scheme && templatesOf(sender)[0].verify === verify
    const { names, dataFrom, data, acceptsEmpty, redelivers } = draft
    const kept = { names, dataFrom, data, acceptsEmpty, redelivers }
    onEdit({ ...fieldsOf(chosen.template), ...kept, accepts, user: '', secret: '' })
  }
  return (
    <Radio.Group
      className={classes.group}
      label="What to check instead of a signature"
      value={draft.verify}
      onChange={choose}
    >
      <div className={classes.choices}>
        {checks.map(({ title, text, template }) => (
          <Radio
            key={template.verify}
            value={template.verify}
            label={title}
            description={<CodedText text={text} />}
            size="xs"
            classNames={{ label: classes.label ?? '', description: classes.text ?? '' }}
          />
        ))}
      </div>
    </Radio.Group>
  )
}
