import { Checkbox } from '@mantine/core'
import type { Ref } from 'react'
import type { ImportPreview } from '#shared/model/import-preview.ts'
import { variableHint } from './issues.ts'
import classes from './preview-step.module.css'
import { VariableRow } from './variable-row.tsx'

/** The variables that headers name, whether they are set, and the consent to send them. */
export function PreviewVariables(props: {
  readonly preview: ImportPreview
  readonly hasConsent: boolean
  readonly onConsent: (given: boolean) => void
  readonly consentRef: Ref<HTMLInputElement>
}) {
  const { preview, hasConsent, onConsent, consentRef } = props
  const { environmentVariables } = preview.details
  const host = hostOf(preview)
  return (
    // What scrolls is in reach of the keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section className={classes.part} aria-label="Environment variables" tabIndex={0}>
      <h3 className={classes.heading}>
        Environment variables <span className={classes.aside}>named in headers</span>
      </h3>
      {environmentVariables.length === 0 && (
        <p className="sm t2">No header of an action to create names one.</p>
      )}
      <ul>
        {environmentVariables.map(variable => (
          <VariableRow
            key={variable.name}
            variable={variable}
            hint={variableHint(preview.issues, variable.name)}
          />
        ))}
      </ul>
      {environmentVariables.length > 0 &&
        (host === null ? (
          <p className="sm t2">The connection has no base URL yet, so these values aren’t sent yet.</p>
        ) : (
          <Checkbox
            ref={consentRef}
            classNames={{
              root: classes.consent ?? '',
              body: classes.consentBody ?? '',
              label: classes.consentLabel ?? '',
            }}
            checked={hasConsent}
            onChange={event => onConsent(event.currentTarget.checked)}
            label={
              <>
                Send their values to <code>{host}</code>
              </>
            }
            description="Whenever one of these actions is called. Values stay hidden here."
          />
        ))}
    </section>
  )
}

/** Where the values of variables would go; null where there are none, or nowhere to send them to. */
export function hostOf({ environmentVariables }: ImportPreview): string | null {
  return environmentVariables[0]?.host ?? null
}
