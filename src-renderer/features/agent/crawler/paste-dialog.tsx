import { Textarea } from '@mantine/core'
import { useState } from 'react'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { useShortcut } from '../../../ui/shortcuts.tsx'

/** Takes URLs to try, or the XML of a sitemap. */
export function PasteDialog(props: {
  readonly onPaste: (text: string) => void
  readonly onClose: () => void
}) {
  const { onPaste, onClose } = props
  const [text, setText] = useState('')
  const isEmpty = text.trim() === ''
  const submit = () => onPaste(text)
  useShortcut({ keys: 'mod+enter', label: 'Try them', group: 'Dialog' }, submit, {
    enabled: !isEmpty,
    whileTyping: true,
  })
  return (
    <FormDialog
      title="Paste URLs"
      size={560}
      submitLabel="Try them"
      keys="mod+enter"
      enterSubmits={false}
      isDisabled={isEmpty}
      isBusy={false}
      onSubmit={submit}
      onClose={onClose}
    >
      <Textarea
        label="URLs"
        description="One per line, or the XML of a sitemap. Nothing is fetched."
        data-autofocus
        rows={10}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12 } }}
        value={text}
        onChange={event => setText(event.currentTarget.value)}
      />
    </FormDialog>
  )
}
