import { Button } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { useEffectEvent, useRef, useState } from 'react'
import { openDialog } from './confirm-dialog.tsx'
import classes from './dialog.module.css'

/** A question that is open: how it is answered, and how it is taken back. */
type Asked = {
  answer: (stays: boolean) => void
  /** Whether leaving was by the browser's own history, which has moved on already. */
  wasHistory: boolean
  readonly close: () => void
}

type Guard = {
  readonly isDirty: boolean
  /** For the question: “the action Create a refund”. */
  readonly what: string
  /** Saves all of it and moves nowhere. Rejects, or resolves to false, where it could not; the form then shows why. */
  readonly save: () => Promise<boolean>
  /** Told once the screen stays because it could not be saved: the moment to go to a field. */
  readonly onNotSaved?: () => void
  readonly saveLabel?: string | undefined
}

/** Asks before what was typed and not saved is lost, by leaving the screen or by closing the window. */
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
    // Closed meanwhile: whoever did it stays.
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
      new Promise<boolean>(resolve => {
        const wasHistory = action !== 'PUSH' && action !== 'REPLACE'
        if (asked.current === null) return question(resolve, wasHistory)
        // Gone back or forward once more while it is asked: the one question is about that now. The way before
        // is never answered, since either answer would move the history once more.
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
      <p>What you changed in {what} is not saved.</p>
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
