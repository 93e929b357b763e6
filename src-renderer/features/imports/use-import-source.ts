import { useMemo, useState } from 'react'
import { guessImportFormat } from '#shared/model/import-format.ts'
import type { ImportFormat } from '#shared/model/import-preview.ts'

/** The text in the editor. */
export type ImportSource = {
  readonly text: string
  /** The name of its file. Null if it was typed or pasted. */
  readonly fileName: string | null
  /** Whether closing the dialog would lose it. */
  readonly isTyped: boolean
  readonly format: ImportFormat
  /** Changes with the text. */
  readonly revision: number
}

type State = Omit<ImportSource, 'format'> & { readonly chosenFormat: ImportFormat | null }

const blank: State = { text: '', fileName: null, isTyped: false, revision: 0, chosenFormat: null }

export function useImportSource({
  text = '',
  fileName = null,
}: Partial<Pick<ImportSource, 'text' | 'fileName'>>) {
  const [state, setState] = useState<State>({ ...blank, text, fileName })
  const source = useMemo<ImportSource>(
    () => ({ ...state, format: state.chosenFormat ?? guessImportFormat(state.text) }),
    [state],
  )
  return {
    source,
    /** Replaces the text by a file or a pasted text. */
    replace: (text: string, fileName: string | null) =>
      setState(({ revision }) => ({
        ...blank,
        text,
        fileName,
        isTyped: fileName === null,
        revision: revision + 1,
      })),
    type: (text: string) =>
      setState(before => ({
        ...(text.trim() === '' ? blank : { ...before, isTyped: true }),
        text,
        revision: before.revision + 1,
      })),
    /** Sets the format, which is guessed otherwise. */
    chooseFormat: (chosenFormat: ImportFormat) => setState(before => ({ ...before, chosenFormat })),
  }
}
