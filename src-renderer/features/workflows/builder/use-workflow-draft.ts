import { useState } from 'react'
import type { Workflow } from '#shared/model/workflow.ts'
import { conflictOf } from './conflict.ts'
import { changeLabels, changeOf, draftOf, mergeSaved, type WorkflowDraft } from './draft.ts'
import { rebase, record, redo, startHistory, undo } from './history.ts'

export type DraftForm = ReturnType<typeof useWorkflowDraft>

/**
 * Holds the draft of a workflow with its undo history.
 *
 * @param saved null for a new workflow, whose draft begins with `initial`.
 */
export function useWorkflowDraft(saved: Workflow | null, initial: WorkflowDraft) {
  const [base, setBase] = useState(saved)
  const [history, setHistory] = useState(() => startHistory(saved === null ? initial : draftOf(saved)))
  // Until the query tells of it, what was just saved here is newer than `saved`.
  const isNewer = saved !== null && base !== null && saved !== base && saved.updatedAt >= base.updatedAt
  const draft = history.present
  const conflict = isNewer ? conflictOf(draft, draftOf(base), saved) : null
  /** Continues from what somebody else saved. What was changed here stays. */
  function merge(from: Workflow, to: Workflow): void {
    setBase(to)
    setHistory(before => rebase(before, one => mergeSaved(one, draftOf(from), to)))
  }
  if (isNewer && conflict === null) merge(base, saved)
  const origin = base === null ? initial : draftOf(base)
  const change = changeOf(origin, draft)
  return {
    draft,
    /** The fields that are not saved yet. */
    change,
    changes: changeLabels(change),
    isNew: saved === null,
    isDirty: Object.keys(change).length > 0,
    /** The version that the draft was made from; null for a new workflow. */
    base,
    /** Changes of somebody else that a save would overwrite; null for none. */
    conflict,
    /** Ends a conflict with the other version. Undo brings back what was changed here. */
    useTheirs() {
      if (conflict === null || base === null) return
      merge(base, conflict.saved)
      setHistory(before => record(before, draftOf(conflict.saved)))
    },
    /** Ends a conflict with what was changed here, which the next save writes. */
    keepMine() {
      if (conflict !== null && base !== null) merge(base, conflict.saved)
    },
    /** Changes the draft. Consecutive changes with one tag are undone together. */
    edit: (fields: Partial<WorkflowDraft>, tag: string | null = null) =>
      setHistory(before => record(before, { ...before.present, ...fields }, tag)),
    /** Completes the last change, so that both are undone together. */
    amend: (fields: Partial<WorkflowDraft>) =>
      setHistory(before => ({ ...before, present: { ...before.present, ...fields } })),
    undo: history.past.length === 0 ? null : () => setHistory(undo),
    redo: history.future.length === 0 ? null : () => setHistory(redo),
    discard: () => setHistory(before => record(before, origin)),
    /** Continues from what the service saved. Edits since then stay. */
    accept(sent: WorkflowDraft, now: Workflow) {
      setBase(now)
      setHistory(before => ({ ...rebase(before, draft => mergeSaved(draft, sent, now)), tag: null }))
    },
  }
}
