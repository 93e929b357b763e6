import { Textarea } from '@mantine/core'
import { useStoredFields } from '../../../ui/draft/use-stored-fields.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'

const fields = { text: { label: 'the pasted text', stored: null } }

/** Takes URLs to try, or the XML of a sitemap. */
export function PasteDialog(props: {
  readonly onPaste: (text: string) => void
  readonly onClose: () => void
}) {
  const { onPaste, onClose } = props
  const { values, change, note } = useStoredFields('crawler-urls', fields, { text: '' })
  const { text } = values
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
      {note}
      <Textarea
        label="URLs"
        description="One per line, or the XML of a sitemap. Nothing is fetched."
        data-autofocus
        rows={10}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12 } }}
        value={text}
        onChange={event => change({ text: event.currentTarget.value })}
      />
    </FormDialog>
  )
}
