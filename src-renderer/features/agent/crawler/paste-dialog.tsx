import { Textarea } from '@mantine/core'
import { useState } from 'react'
import { FormDialog } from '../../../ui/form-dialog.tsx'

/** Takes URLs to try, or the XML of a sitemap. */
export function PasteDialog(props: {
  readonly onPaste: (text: string) => void
  readonly onClose: () => void
}) {
  const { onPaste, onClose } = props
  const [text, setText] = useState('')
  return (
    <FormDialog
      title="Paste URLs"
      size={560}
      submitLabel="Try them"
      keys="mod+enter"
      enterSubmits={false}
      isDisabled={text.trim() === ''}
      onSubmit={() => onPaste(text)}
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
