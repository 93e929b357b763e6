import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { Action, ActionFields } from '#shared/model/action.ts'
import type { Issue } from '#shared/model/issue.ts'
import { api } from '../../client/client.ts'
import {
  type ActionDraft,
  blankRow,
  changedTwice,
  changeLabels,
  changeOf,
  draftOf,
  fieldsOf,
  mergeSaved,
  newDraft,
  type Part,
  type RowIn,
  type Rows,
} from './action-draft.ts'
import { type DraftIssues, draftIssues, firstIssue, serverIssues } from './draft-issues.ts'

/** Milliseconds after the last key until the service is asked for a tool name. */
const suggestDelay = 120

/** How an editor saves: on the way out of it, or before the created action is opened. */
export type SaveOptions = {
  readonly leaving?: boolean
  readonly beforeOpening?: (actionId: string) => void
}

type Known = {
  readonly saved: Action | null
  readonly base: ActionFields | null
  /** The names of the fields that were changed here, and then also saved elsewhere. */
  readonly overtaken: readonly string[]
}

/**
 * Holds the draft of an action.
 *
 * @param saved the saved action, or null for a new one.
 * @param all the actions of the connection. Their tool names are taken.
 */
export function useActionDraft(saved: Action | null, all: readonly Action[], newName: string) {
  /** `saved`: the action at the last render. `base`: the fields that the draft is a change to. */
  const [known, setKnown] = useState<Known>({ saved, base: saved, overtaken: [] })
  const [written, setWritten] = useState(() => (saved === null ? newDraft(newName) : draftOf(saved)))
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const [attempted, setAttempted] = useState(false)
  const [refused, setRefused] = useState<DraftIssues>(new Map())
  /** The field to focus next. */
  const [goal, setGoal] = useState<string | null>(null)

  if (saved !== null && known.base !== null && saved !== known.saved) {
    const overtaken = [...known.overtaken, ...changedTwice(written, known.base, saved)]
    setKnown({ saved, base: saved, overtaken })
    setWritten(mergeSaved(written, known.base, saved))
  }

  const [name] = useDebouncedValue(written.name.trim(), suggestDelay)
  const suggestion = useQuery(
    api.tools.suggestName.queryOptions({
      input: { name },
      enabled: name !== '',
      placeholderData: keepPreviousData,
    }),
  ).data?.toolName
  const suggested = written.name.trim() === '' ? undefined : suggestion
  const draft: ActionDraft = useMemo(
    () => (written.followsName ? { ...written, toolName: suggested ?? '' } : written),
    [written, suggested],
  )

  const issues = useMemo(() => {
    const others = new Map(
      all.filter(({ actionId }) => actionId !== saved?.actionId).map(one => [one.toolName, one.name]),
    )
    return draftIssues(draft, toolName => others.get(toolName))
  }, [draft, all, saved?.actionId])
  const change = useMemo(() => (saved === null ? null : changeOf(saved, draft)), [saved, draft])
  const isDirty =
    change === null
      ? JSON.stringify(fieldsOf(written)) !== JSON.stringify(fieldsOf(newDraft(newName)))
      : Object.keys(change).length > 0

  /** Changes the draft. The problems of the fields named by `keys` are shown from now on. */
  function update(change: (before: ActionDraft) => ActionDraft, keys: readonly string[]): void {
    setWritten(change)
    if (keys.some(key => !touched.has(key))) setTouched(new Set([...touched, ...keys]))
    if (keys.some(key => refused.has(key)) || refused.has(''))
      setRefused(new Map([...refused].filter(([key]) => key !== '' && !keys.includes(key))))
  }

  return {
    draft,
    /** The draft without a suggested tool name. It is the same object until the user edits. */
    written,
    suggested,
    isNew: saved === null,
    isDirty,
    change,
    /** The names of the changed fields. */
    changes: change === null ? [] : changeLabels(change),
    /** Those of the fields that were also saved elsewhere since they were changed here. */
    overtaken: change === null ? [] : changeLabels(change).filter(name => known.overtaken.includes(name)),
    /** Whether the user has tried to save. */
    attempted,
    /** Returns the problem of a field that the user has edited or tried to save. */
    errorOf: (key: string): string | undefined =>
      refused.get(key) ?? (attempted || touched.has(key) ? issues.get(key) : undefined),
    set(
      next: Partial<ActionDraft> | ((before: ActionDraft) => Partial<ActionDraft>),
      ...keys: readonly string[]
    ) {
      update(before => ({ ...before, ...(typeof next === 'function' ? next(before) : next) }), keys)
    },
    setRows<P extends Part>(part: P, next: (rows: readonly RowIn<P>[]) => readonly RowIn<P>[], key?: string) {
      const change = (before: ActionDraft) => {
        const rows: Rows = before
        return { ...before, [part]: next(rows[part]) }
      }
      update(change, key === undefined ? [] : [key])
    },
    addRow(part: Part) {
      const add = (before: ActionDraft) => ({
        ...before,
        [part]: [...before[part], blankRow[part](before.nextId)],
        nextId: before.nextId + 1,
      })
      update(add, [])
    },
    discard() {
      setKnown(before => ({ ...before, overtaken: [] }))
      setWritten(before => (saved === null ? newDraft(newName) : draftOf(saved, before.nextId)))
      setTouched(new Set())
      setAttempted(false)
      setRefused(new Map())
    },
    /** Records that `sent` was saved. The draft is a change to it from now on, and edits made meanwhile stay. */
    accept(sent: ActionDraft) {
      setAttempted(false)
      setRefused(new Map())
      setKnown(before => ({ ...before, base: fieldsOf(sent), overtaken: [] }))
    },
    /** Shows all problems, focuses the first, and returns whether there are none. */
    check(): boolean {
      setAttempted(true)
      setGoal(firstIssue(draft, issues))
      return issues.size === 0
    },
    /** Shows the problems that the service found, and focuses the first. */
    refuse(problems: readonly Issue[]) {
      const found = serverIssues(draft, problems)
      setRefused(found)
      setGoal(firstIssue(draft, found))
    },
    /** Whether no problem is known. */
    isValid: issues.size === 0 && refused.size === 0,
    goal,
    reached: () => setGoal(null),
  }
}

export type DraftForm = ReturnType<typeof useActionDraft>
