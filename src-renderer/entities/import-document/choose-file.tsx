import { Button, type ButtonProps, FileButton } from '@mantine/core'
import { useRef } from 'react'

/** The button that chooses the file to import. Takes the props of Mantine's Button. */
export function ChooseFile(
  props: ButtonProps & { readonly accept: string; readonly onFile: (file: File) => void },
) {
  const { accept, onFile, ...button } = props
  const reset = useRef<() => void>(null)
  return (
    <FileButton
      accept={accept}
      resetRef={reset}
      inputProps={{ 'aria-label': 'File to import' }}
      onChange={file => {
        if (file !== null) onFile(file)
        // So that the same file can be chosen again.
        reset.current?.()
      }}
    >
      {chooses => (
        <Button {...button} {...chooses}>
          Choose file
        </Button>
      )}
    </FileButton>
  )
}
