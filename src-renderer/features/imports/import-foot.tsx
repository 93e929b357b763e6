import { Button, Modal, Progress } from '@mantine/core'
import { Check, CircleCheck, CircleX } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { Delayed } from '../../ui/delayed.tsx'
import { useReturnFocus } from '../../ui/focus.ts'
import { formatCount } from '../../ui/format.ts'
import { KeyButton } from '../../ui/keys.tsx'
import { WriteButton } from '../../ui/write-button.tsx'
import classes from './import-dialog.module.css'
import { countIssues } from './issues.ts'
import type { SourceState } from './source-state.ts'
import type { PreviewState } from './use-import-preview.ts'

/** The foot of a step: its status and the buttons to the previous and the next step. */
export function Foot(props: {
  readonly status: ReactNode
  readonly back: { readonly label: string; readonly keys?: string; readonly run: () => void }
  readonly on: {
    readonly label: string
    readonly run: () => void
    readonly isDisabled?: boolean
    readonly isBusy?: boolean
  }
}) {
  const { status, back, on } = props
  return (
    <div className={`row ${classes.foot}`}>
      <div className={`grow ${classes.status}`} role="status">
        {status}
      </div>
      <KeyButton size="md" onClick={back.run} keys={back.keys}>
        {back.label}
      </KeyButton>
      <WriteButton
        size="md"
        variant="filled"
        keys="mod+enter"
        onClick={on.run}
        disabled={on.isDisabled === true}
        loading={on.isBusy === true}
      >
        {on.label}
      </WriteButton>
    </div>
  )
}

/** Says whether a text can be previewed. */
export function SourceStatus(props: { readonly at: SourceState; readonly state: PreviewState }) {
  const { at, state } = props
  switch (at) {
    case 'reading':
      return <Late what="Reading the file" />
    case 'fetching':
      return <Late what="Fetching the document" />
    case 'blank':
      return <span className="t2">Nothing is written until you import.</span>
    case 'checking':
      return <Late what="Checking the text" onCancel={state.cancel} />
    case 'failed':
      return <span className="t2">The text was not checked.</span>
    case 'unchecked':
      return (
        <span className="row">
          <span className="t2">Not checked yet.</span>
          <Button variant="subtle" onClick={state.checkAgain}>
            Check
          </Button>
        </span>
      )
    case 'checked': {
      const verdict = <Verdict state={state} />
      return state.isChecking ? (
        <Late what="Checking the text" onCancel={state.cancel} before={verdict} />
      ) : (
        verdict
      )
    }
  }
}

function Late({ before = null, ...work }: ComponentProps<typeof Working> & { readonly before?: ReactNode }) {
  return (
    <Delayed ms={500} before={before}>
      <Working {...work} />
    </Delayed>
  )
}

function Verdict({ state }: { readonly state: PreviewState }) {
  const { errors, warnings } = countIssues(state.issues)
  if (errors > 0)
    return (
      <span className="bad row" style={{ gap: 6 }}>
        <CircleX />
        Fix {formatCount(errors, 'error')} to see the preview.
      </span>
    )
  if (warnings > 0)
    return <span className="t2">{formatCount(warnings, 'warning')}. You can import anyway.</span>
  return (
    <span className="t2 row" style={{ gap: 6 }}>
      <CircleCheck className="ok" />
      Ready for the preview.
    </span>
  )
}

/** Shows that something takes longer than half a second. */
export function Working(props: { readonly what: string; readonly onCancel?: () => void }) {
  const { what, onCancel } = props
  return (
    <span className="row">
      <Progress value={100} animated size={4} w={96} aria-label={what} />
      <span className="t2">{what}…</span>
      {onCancel !== undefined && (
        <Button variant="subtle" onClick={onCancel}>
          Cancel
        </Button>
      )}
    </span>
  )
}

const names = {
  document: 'Source',
  placeholders: 'Operations',
  preview: 'Preview',
  source: 'Source',
  difference: 'Difference',
  done: 'Done',
}

type AnyStep = keyof typeof names
export type Step = 'document' | 'placeholders' | 'preview' | 'done'

/** Shows the current one of the steps of an import. */
export function Steps({ step, steps }: { readonly step: AnyStep; readonly steps: readonly AnyStep[] }) {
  const at = steps.indexOf(step)
  return (
    <ol className={classes.steps} aria-label="Steps">
      {steps.map((name, index) => {
        const isPast = index < at || step === 'done'
        return (
          <li
            key={name}
            className="row"
            data-state={isPast ? 'past' : index === at ? 'now' : undefined}
            aria-current={index === at ? 'step' : undefined}
          >
            <span className={classes.number}>{isPast ? <Check size={12} /> : index + 1}</span>
            {names[name]}
          </li>
        )
      })}
    </ol>
  )
}

/** Asks before a typed text is lost. */
export function DiscardDialog(props: { readonly onKeep: () => void; readonly onDiscard: () => void }) {
  useReturnFocus()
  const { onKeep, onDiscard } = props
  return (
    // The import dialog handles Escape for both dialogs.
    <Modal opened onClose={onKeep} closeOnEscape={false} title="Discard what you typed?" zIndex={300}>
      <p className="t2">The text has not been imported and is not stored anywhere.</p>
      <div className="row" style={{ justifyContent: 'flex-end', marginTop: 16 }}>
        <Button size="md" onClick={onKeep} data-autofocus>
          Keep editing
        </Button>
        <Button size="md" variant="filled" color="red" onClick={onDiscard}>
          Discard
        </Button>
      </div>
    </Modal>
  )
}
