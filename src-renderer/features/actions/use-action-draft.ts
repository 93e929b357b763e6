import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Action } from '#shared/model/action.ts'
import { api, client } from '../../client/client.ts'
import { moveArguments } from '../../entities/action/use-typed-arguments.ts'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { pick } from '../../ui/draft/draft.ts'
import { useDraft } from '../../ui/draft/use-draft.tsx'
import { toastDone } from '../../ui/toasts.tsx'
import {
  type ActionDraft,
  actionFields,
  blankRow,
  draftOf,
  fieldsOf,
  newDraft,
  type Part,
  type RowIn,
  type Rows,
} from './action-draft.ts'
import { type DraftIssues, draftIssues, firstIssue, sendingKeys, serverIssues } from './draft-issues.ts'
import type { ActionCommands } from './use-action-commands.ts'

/** Milliseconds after the last key until the service is asked for a tool name. */
const suggestDelay = 120

/**
 * Holds the draft of an action, and saves it.
 *
 * @param saved the saved action, or null for a new one.
 * @param options.all the actions of the connection. Their tool names are taken.
 */
export function useActionDraft(
  saved: Action | null,
  options: {
    readonly all: readonly Action[]
    readonly newName: string
    readonly commands: ActionCommands
    readonly onCreated: (action: Action) => void
    readonly onDiscard: () => void
    /** Shows the panel with the fields that prevent saving. */
    readonly onInvalid: () => void
  },
) {
  const { all, newName, commands, onInvalid } = options
  const { connectionId } = useCurrentConnection()
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const [attempted, setAttempted] = useState(false)
  const [refused, setRefused] = useState<DraftIssues>(new Map())
  /** The field to focus next. */
  const [goal, setGoal] = useState<string | null>(null)
  const isNew = saved === null

  const form = useDraft<ActionDraft, Action | null>({
    storedAs: `action/${saved?.actionId ?? `new/${connectionId}`}`,
    fields: actionFields,
    saved,
    draftOf: action => (action === null ? newDraft(newName) : draftOf(action)),
    read: Action.parse,
    async save(sent, changed, before) {
      const fields = fieldsOf(sent)
      if (before !== null) {
        const { warnings: _, ...action } = await client.actions.update({
          ...{ connectionId, actionId: before.actionId, ifUpdatedAt: before.updatedAt },
          ...pick({ ...fields, sendsBody: fields.sendsBody ?? null }, changed),
        })
        commands.show(action)
        return action
      }
      const { toolName, ...others } = fields
      // The service makes a tool name that follows the name. The one shown may be of an earlier name.
      const created = await commands.create(sent.followsName ? others : { ...others, toolName })
      toastDone(`Action “${created.name}” created`)
      moveArguments('new', created.actionId)
      return created
    },
    check(how) {
      setAttempted(true)
      setGoal(firstIssue(draft, issues))
      if (issues.size > 0 && how.leaving !== true) onInvalid()
      return issues.size === 0
    },
    onRefused(found, how) {
      const problems = serverIssues(draft, found)
      setRefused(problems)
      setGoal(firstIssue(draft, problems))
      if (how.leaving !== true) onInvalid()
    },
    onSaved(action) {
      setAttempted(false)
      setRefused(new Map())
      if (isNew) options.onCreated(action)
    },
    onNotSaved: () => issues.size + refused.size > 0 && onInvalid(),
    onDiscard() {
      setTouched(new Set())
      setAttempted(false)
      setRefused(new Map())
      if (isNew) options.onDiscard()
    },
    name: isNew ? 'the new action' : `the action ${saved.name}`,
    failed: 'The action was not saved',
    unsaved: isNew ? 'Not created yet' : undefined,
    saveLabel: isNew ? 'Create action' : 'Save',
  })
  const { draft: written, changed, change } = form

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

  const sending = useMemo(() => sendingKeys(draft), [draft])

  /** Changes the draft. The problems of the fields named by `keys` are shown from now on. */
  function update(
    next: Partial<ActionDraft> | ((before: ActionDraft) => Partial<ActionDraft>),
    keys: readonly string[],
  ): void {
    change(next)
    if (keys.some(key => !touched.has(key))) setTouched(new Set([...touched, ...keys]))
    if (keys.some(key => refused.has(key)) || refused.has(''))
      setRefused(new Map([...refused].filter(([key]) => key !== '' && !keys.includes(key))))
  }

  return {
    draft,
    suggested,
    isNew,
    isDirty: form.isDirty,
    /** The names of the changed fields. */
    changed,
    save: form.save,
    isSaving: form.isSaving,
    saveBar: form.saveBar,
    /** Whether the user has tried to save. */
    attempted,
    /**
     * Returns the problem of a field that the user has edited or tried to save, or that another field has caused: a
     * placeholder without its parameter.
     */
    errorOf: (key: string): string | undefined =>
      refused.get(key) ?? (attempted || touched.has(key) || sending.has(key) ? issues.get(key) : undefined),
    set: (
      next: Partial<ActionDraft> | ((before: ActionDraft) => Partial<ActionDraft>),
      ...keys: readonly string[]
    ) => update(next, keys),
    setRows<P extends Part>(
      part: P,
      next: (rows: readonly RowIn<P>[]) => readonly RowIn<P>[],
      ...keys: readonly string[]
    ) {
      update((before: Rows) => ({ [part]: next(before[part]) }), keys)
    },
    addRow: (part: Part) => update(before => ({ [part]: [...before[part], blankRow[part]()] }), []),
    goal,
    /** Focuses a field, and opens the row that it is in. */
    goTo: setGoal,
    reached: () => setGoal(null),
  }
}

export type DraftForm = ReturnType<typeof useActionDraft>
