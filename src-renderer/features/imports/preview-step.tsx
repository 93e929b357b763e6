import type { Ref } from 'react'
import type { ImportPreview } from '#shared/model/import-preview.ts'
import { chosenPart, type Unticked, withTicks } from './choice.ts'
import { PreviewConnection } from './preview-connection.tsx'
import { ActionEntries, EventTypeEntries } from './preview-entries.tsx'
import classes from './preview-step.module.css'
import { PreviewVariables } from './preview-variables.tsx'
import { useFocusOnArrival } from './use-focus-on-arrival.ts'

/** What an import will make, before anything is written; each entry can be left out. */
export function PreviewStep(props: {
  readonly preview: ImportPreview
  readonly unticked: Unticked
  readonly onTick: (unticked: Unticked) => void
  readonly useBaseUrl: boolean
  readonly onUseBaseUrl: (use: boolean) => void
  readonly hasConsent: boolean
  readonly onConsent: (given: boolean) => void
  readonly consentRef: Ref<HTMLInputElement>
  readonly goTo: (place: { readonly line: number; readonly column: number }) => void
}) {
  const { preview, unticked, onTick } = props
  const tick = (kind: keyof Unticked) => (names: readonly string[], isTicked: boolean) =>
    onTick(withTicks(unticked, kind, names, isTicked))
  return (
    <section className={classes.preview} aria-label="Preview" tabIndex={-1} ref={useFocusOnArrival()}>
      <PreviewConnection
        preview={preview}
        useBaseUrl={props.useBaseUrl}
        onUseBaseUrl={props.onUseBaseUrl}
        goTo={props.goTo}
      />
      <PreviewVariables
        preview={chosenPart(preview, unticked)}
        hasConsent={props.hasConsent}
        onConsent={props.onConsent}
        consentRef={props.consentRef}
      />
      <ActionEntries
        entries={preview.details.actions}
        leftOut={preview.unsupported}
        what="to create"
        choice={{ unticked: unticked.actions, onTick: tick('actions') }}
      />
      <EventTypeEntries
        entries={preview.details.eventTypes}
        what="to create"
        choice={{ unticked: unticked.eventTypes, onTick: tick('eventTypes') }}
      />
    </section>
  )
}
