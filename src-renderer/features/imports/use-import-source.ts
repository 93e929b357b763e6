import { useState } from 'react'

/** The text in the editor. */
export type ImportSource = {
  readonly text: string
  /** The name of its file. Null if it was typed or pasted. */
  readonly fileName: string | null
  /** Whether closing the dialog would lose it. */
  readonly isTyped: boolean
  /** Changes with the text. */
  readonly revision: number
}

const blank: ImportSource = { text: '', fileName: null, isTyped: false, revision: 0 }

export function useImportSource({
  text = '',
  fileName = null,
}: Partial<Pick<ImportSource, 'text' | 'fileName'>>) {
  const [source, setSource] = useState<ImportSource>({ ...blank, text, fileName })
  return {
    source,
    /** Replaces the text by a file or a pasted text. */
    replace: (text: string, fileName: string | null) =>
      setSource(({ revision }) => ({
        ...blank,
        text,
        fileName,
        isTyped: fileName === null,
        revision: revision + 1,
      })),
    type: (text: string) =>
      setSource(before => ({
        ...(text.trim() === '' ? blank : { ...before, isTyped: true }),
        text,
        revision: before.revision + 1,
      })),
  }
}
