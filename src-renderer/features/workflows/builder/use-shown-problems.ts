import { type FocusEvent, useCallback, useEffect, useState } from 'react'
import type { Workflow } from '#shared/model/workflow.ts'
import type { Known } from '#shared/workflows/references.ts'
import { type Path, pathKey } from '../../../entities/workflow/step-paths.ts'
import type { Problem } from '../../../entities/workflow/steps/step-view.ts'
import { afterPress } from '../../../ui/focus.ts'
import { draftOf, type WorkflowDraft } from './draft.ts'
import { fieldId, problemsOf, shownProblems } from './problems.ts'

/**
 * Returns the problems of a draft that are shown: those of fields that the user has left, and those that the saved
 * workflow has. After `showAll`, all of them.
 *
 * @param saved the version that the draft was made from; null for a new workflow.
 * @param selected the step whose fields are open.
 */
export function useShownProblems(props: {
  readonly draft: WorkflowDraft
  readonly saved: Workflow | null
  readonly known: Known | null
  readonly selected: Path | null
}) {
  const { draft, saved, known, selected } = props
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const [showsAll, setShowsAll] = useState(false)
  const all = problemsOf(draft, known)
  const before: readonly Problem[] = saved === null ? [] : problemsOf(draftOf(saved), known)
  const leave = useCallback((id: string) => setLeft(ids => (ids.has(id) ? ids : new Set([...ids, id]))), [])

  // Selecting another step leaves all fields of the one before.
  const open = selected === null ? null : fieldId(draft.steps, pathKey(selected))
  useEffect(() => {
    if (open !== null) return () => leave(open)
  }, [open, leave])
  return {
    all,
    shown: showsAll
      ? all
      : shownProblems(all, draft, left, saved && { steps: saved.steps, problems: before }),
    showAll: () => setShowsAll(true),
    /** Ends `showAll`, and forgets which fields were left. */
    reset() {
      setShowsAll(false)
      setLeft(new Set())
    },
    /** For the `onBlur` of an element around the fields. Each field has its path in `data-field`. */
    onBlur({ target, relatedTarget }: FocusEvent) {
      const field = target.closest<HTMLElement>('[data-field]')
      // Another window has the focus now, and this field gets it back.
      if (field === null || document.activeElement === target) return
      if (relatedTarget instanceof Node && field.contains(relatedTarget)) return
      const id = fieldId(draft.steps, field.dataset.field ?? '')
      afterPress(() => leave(id))
    },
  }
}
