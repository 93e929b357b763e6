import { type ReactNode, useState } from 'react'
import { changesOf, type Fields } from './draft.ts'
import { RestoredNote } from './restored-note.tsx'
import { openDraft, useStoring } from './use-storing.ts'

/**
 * Holds what is typed into a dialog or another form that is not the draft of a record, and has it again after a reload
 * of this tab. It is forgotten when the form closes.
 *
 * @param storedAs names the form: `new-connection`.
 * @param missing names what was typed and is never stored, such as a pasted document.
 */
export function useStoredFields<T extends object>(
  storedAs: string,
  fields: Required<Fields<T>>,
  initial: T,
  missing: readonly string[] = noNames,
) {
  const [base] = useState(initial)
  const [opened] = useState(() => openDraft<T, null>(storedAs, fields, null, base))
  const start = opened.state.history.present
  const [values, setValues] = useState(start)
  const [restored, setRestored] = useState(opened.restored)
  const isChanged = changesOf(fields, base, values).length > 0
  useStoring(storedAs, {
    ...{ fields, base, draft: values, isChanged },
    missing: [...missing, ...(restored?.missing ?? noNames)],
    at: values === start ? restored?.at : undefined,
  })
  const discard = () => {
    setValues(base)
    setRestored(null)
  }
  const note: ReactNode = (
    <RestoredNote
      restored={restored}
      onDiscard={isChanged ? discard : null}
      onClose={() => setRestored(null)}
    />
  )
  return {
    values,
    change: (next: Partial<T>) => setValues(before => ({ ...before, ...next })),
    /** Says what was restored. */
    note,
  }
}

const noNames: readonly string[] = []
