import type { Ref } from 'react'
import type { ImportPreview } from '#shared/model/import-preview.ts'
import { PreviewConnection } from './preview-connection.tsx'
import { ActionEntries, EventTypeEntries } from './preview-entries.tsx'
import classes from './preview-step.module.css'
import { PreviewVariables } from './preview-variables.tsx'
import { useFocusOnArrival } from './use-focus-on-arrival.ts'

/** What an import will make, before anything is written. */
export function PreviewStep(props: {
  readonly preview: ImportPreview
  readonly hasConsent: boolean
  readonly onConsent: (given: boolean) => void
  readonly consentRef: Ref<HTMLInputElement>
  readonly goTo: (place: { readonly line: number; readonly column: number }) => void
}) {
  const { preview } = props
  return (
    <section className={classes.preview} aria-label="Preview" tabIndex={-1} ref={useFocusOnArrival()}>
      <PreviewConnection preview={preview} goTo={props.goTo} />
      <PreviewVariables
        preview={preview}
        hasConsent={props.hasConsent}
        onConsent={props.onConsent}
        consentRef={props.consentRef}
      />
      <ActionEntries entries={preview.details.actions} what="to create" />
      <EventTypeEntries entries={preview.details.eventTypes} what="to create" />
    </section>
  )
}
