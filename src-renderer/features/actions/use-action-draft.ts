import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { Action, ActionFields } from '#shared/model/action.ts'
import type { Issue } from '#shared/model/issue.ts'
import { api } from '../../client/client.ts'
import {
  type ActionDraft,
  changeLabels,
  changeOf,
  type DraftChange,
  draftOf,
  fieldsOf,
  mergeSaved,
  newDraft,
} from './action-draft.ts'
import { type DraftIssues, draftIssues, firstIssue, serverIssues } from './draft-issues.ts'

/** After the last key, in milliseconds: the service makes tool names. */
const suggestDelay = 120

type Known = { readonly saved: Action | null; readonly base: ActionFields | null }

/**
 * An action as it is being changed, or a new one.
 *
 * @param saved the action as it is saved; null for a new one.
 * @param all the actions of the connection, whose tool names are taken.
 */
export function useActionDraft(saved: Action | null, all: readonly Action[], newName: string) {
  /** The action as it was when it was last looked at, and what of it the draft is a change to. */
  const [known, setKnown] = useState<Known>({ saved, base: saved })
  const [written, setWritten] = useState(() => (saved === null ? newDraft(newName) : draftOf(saved)))
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const [attempted, setAttempted] = useState(false)
  const [refused, setRefused] = useState<DraftIssues>(new Map())
  /** The field that the keyboard is to be taken to. */
  const [goal, setGoal] = useState<string | null>(null)

  // What was changed elsewhere is taken over, save for the fields that are being changed here.
  if (saved !== null && known.base !== null && saved !== known.saved) {
    setKnown({ saved, base: saved })
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

  return {
    draft,
    /** The draft as it is kept: the same one as long as nobody writes. */
    written,
    suggested,
    isNew: saved === null,
    isDirty,
    change,
    /** What of it has changed, in words. */
    changes: change === null ? [] : changeLabels(change),
    /** Whether somebody has tried to save it. */
    attempted,
    /** What is wrong with a field, once somebody has been there or has tried to save. */
    errorOf: (key: string): string | undefined =>
      refused.get(key) ?? (attempted || touched.has(key) ? issues.get(key) : undefined),
    /** @param keys of the fields that are changed, as issues name them. */
    set(next: DraftChange | ((before: ActionDraft) => DraftChange), ...keys: readonly string[]) {
      setWritten(before => ({ ...before, ...(typeof next === 'function' ? next(before) : next) }))
      if (keys.some(key => !touched.has(key))) setTouched(new Set([...touched, ...keys]))
      if (keys.some(key => refused.has(key)) || refused.has(''))
        setRefused(new Map([...refused].filter(([key]) => key !== '' && !keys.includes(key))))
    },
    discard() {
      setWritten(before => (saved === null ? newDraft(newName) : draftOf(saved, before.nextId)))
      setTouched(new Set())
      setAttempted(false)
      setRefused(new Map())
    },
    /** From now on the draft is a change to what was sent and has been saved; whoever has gone on writing goes on. */
    accept(sent: ActionDraft) {
      setAttempted(false)
      setRefused(new Map())
      setKnown(before => ({ ...before, base: fieldsOf(sent) }))
    },
    /** Shows every problem and goes to the first. @returns whether there is none. */
    check(): boolean {
      setAttempted(true)
      setGoal(firstIssue(draft, issues))
      return issues.size === 0
    },
    /** Shows what the service has against it, at the fields. */
    refuse(problems: readonly Issue[]) {
      const found = serverIssues(draft, problems)
      setRefused(found)
      setGoal(firstIssue(draft, found))
    },
    /** Whether nothing is wrong with it, as far as is known. */
    isValid: issues.size === 0 && refused.size === 0,
    goal,
    reached: () => setGoal(null),
  }
}

export type DraftForm = ReturnType<typeof useActionDraft>
