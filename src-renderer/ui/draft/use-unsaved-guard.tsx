import { Button } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { useEffectEvent, useRef, useState } from 'react'
import { openDialog } from '../confirm-dialog.tsx'
import classes from '../dialog.module.css'

/** An open question. */
type Asked = {
  answer: (stays: boolean) => void
  /** Whether the user left by the browser's history, which has changed already. */
  wasHistory: boolean
  readonly close: () => void
}

type Guard = {
  readonly isDirty: boolean
  /** Completes “Your changes to …”: “the action Create a refund”. */
  readonly what: string
  /** Saves without navigating. Rejects or resolves to false if it fails; the form then shows why. */
  readonly save: () => Promise<boolean>
  /** Called after a failed save keeps the user on the screen, to focus a field. */
  readonly onNotSaved?: () => void
  readonly saveLabel?: string | undefined
  /** Whether the same form stays open at another address, such as that of a tab beside it. */
  readonly staysAt?: (current: Place, next: Place) => boolean
}
export type Place = { readonly pathname: string; readonly search: Readonly<Record<string, unknown>> }

/** Asks before unsaved changes are lost by leaving the screen or closing the window. */
export function useUnsavedGuard(guard: Guard): void {
  const { isDirty, what, saveLabel = 'Save' } = guard
  const asked = useRef<Asked | null>(null)
  const save = useEffectEvent(() => guard.save().catch(() => false))
  const onNotSaved = useEffectEvent(() => guard.onNotSaved?.())

  function answer(stays: boolean): void {
    const question = asked.current
    if (question === null) return
    asked.current = null
    question.answer(stays)
    question.close()
  }

  async function saveAndLeave(): Promise<void> {
    const question = asked.current
    const isSaved = await save()
    // The dialog was closed meanwhile, which keeps the user here.
    if (question === null || asked.current !== question) return
    const { wasHistory } = question
    if (!isSaved && wasHistory) addEventListener('popstate', () => setTimeout(onNotSaved), { once: true })
    answer(!isSaved)
    if (!isSaved && !wasHistory) setTimeout(onNotSaved)
  }

  function question(resolve: Asked['answer'], wasHistory: boolean): void {
    const close = openDialog({
      title: 'Leave without saving?',
      children: <Choices what={what} saveLabel={saveLabel} onSave={saveAndLeave} onAnswer={answer} />,
      onClose: () => answer(true),
    })
    asked.current = { answer: resolve, wasHistory, close }
  }

  useBlocker({
    disabled: !isDirty,
    enableBeforeUnload: isDirty,
    shouldBlockFn: ({ current, next, action }) =>
      guard.staysAt?.(current, next) !== true &&
      new Promise<boolean>(resolve => {
        const wasHistory = action !== 'PUSH' && action !== 'REPLACE'
        if (asked.current === null) return question(resolve, wasHistory)
        // The user went back or forward again: the question is about that now. The first navigation is never
        // answered, since either answer would change the history again.
        asked.current.answer = resolve
        asked.current.wasHistory = wasHistory
        if (placeKey(current) === placeKey(next)) answer(false)
      }),
  })
}

function Choices(props: {
  readonly what: string
  readonly saveLabel: string
  readonly onSave: () => Promise<void>
  readonly onAnswer: (stays: boolean) => void
}) {
  const { what, saveLabel, onSave, onAnswer } = props
  const [isSaving, setIsSaving] = useState(false)
  return (
    <div className={classes.form}>
      <p>Your changes to {what} are not saved.</p>
      <div className={classes.foot}>
        <Button variant="subtle" color="red" disabled={isSaving} onClick={() => onAnswer(false)}>
          Discard changes
        </Button>
        <span className="push" />
        <Button disabled={isSaving} onClick={() => onAnswer(true)}>
          Keep editing
        </Button>
        <Button
          variant="filled"
          data-autofocus
          loading={isSaving}
          onClick={() => {
            setIsSaving(true)
            void onSave().finally(() => setIsSaving(false))
          }}
        >
          {saveLabel}
        </Button>
      </div>
    </div>
  )
}

function placeKey({ pathname, search }: { readonly pathname: string; readonly search: unknown }): string {
  return JSON.stringify([pathname, search])
}
