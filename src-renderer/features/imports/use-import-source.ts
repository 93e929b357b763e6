import { useMemo, useState } from 'react'
import { guessImportFormat } from '#shared/model/import-format.ts'
import type { ImportFormat } from '#shared/model/import-preview.ts'

/** What is to be imported, as it stands in the editor. */
export type ImportSource = {
  readonly text: string
  /** Where it came from; null for what was typed or pasted. */
  readonly fileName: string | null
  /** Whether something in it would be lost with the dialog. */
  readonly isTyped: boolean
  readonly format: ImportFormat
  /** Another one for each text. */
  readonly revision: number
}

type State = Omit<ImportSource, 'format'> & { readonly chosenFormat: ImportFormat | null }

const blank: State = { text: '', fileName: null, isTyped: false, revision: 0, chosenFormat: null }

export function useImportSource(initial: { readonly text?: string; readonly fileName?: string }) {
  const [state, setState] = useState<State>({
    ...blank,
    text: initial.text ?? '',
    fileName: initial.fileName ?? null,
  })
  const source = useMemo<ImportSource>(
    () => ({ ...state, format: state.chosenFormat ?? guessImportFormat(state.text) }),
    [state],
  )
  return {
    source,
    /** Another text instead of this one: of a file, or pasted. */
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
    /** Reads it as this, whatever it looks like. */
    chooseFormat: (chosenFormat: ImportFormat) => setState(before => ({ ...before, chosenFormat })),
  }
}
