// biome-ignore lint/style/noRestrictedImports: this is what all others use
import { TagsInput, type TagsInputProps } from '@mantine/core'
import { isSaving } from './match-keys.ts'

/** A field for a list of texts. A text that is typed is taken when the field is left, and when the form is saved from it. */
export function TagsField(props: TagsInputProps) {
  return (
    <TagsInput
      {...props}
      onKeyDown={event => {
        const field = event.currentTarget
        if (!isSaving(event)) return
        field.blur()
        field.focus()
      }}
    />
  )
}
