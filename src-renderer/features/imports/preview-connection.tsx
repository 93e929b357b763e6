import { Checkbox } from '@mantine/core'
import type { ImportPreview } from '#shared/model/import-preview.ts'
import { formatCount } from '../../ui/format.ts'
import { useWorkspace } from '../workspaces/current-workspace.tsx'
import { grouped, otherWarnings } from './issues.ts'
import classes from './preview-step.module.css'
import { Remarks } from './remarks.tsx'

/** The connection as it will be, and what is to be known of the document. */
export function PreviewConnection(props: {
  readonly preview: ImportPreview
  readonly useBaseUrl: boolean
  readonly onUseBaseUrl: (use: boolean) => void
  readonly goTo: (place: { readonly line: number; readonly column: number }) => void
}) {
  const { preview, goTo } = props
  const { workspace } = useWorkspace()
  const { connection } = preview
  const { documentBaseUrl } = preview.details
  const remarks = grouped(otherWarnings(preview, preview.issues))
  const isNew = connection?.connectionId === null
  return (
    // What scrolls is in reach of the keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section className={classes.part} aria-label="Target connection" tabIndex={0}>
      <h3 className={classes.heading}>
        {isNew ? 'New connection' : 'Existing connection'}
        {isNew && <span className={classes.aside}>in {workspace?.name}</span>}
        {remarks.length > 0 && (
          <span className={`push num ${classes.aside}`}>{formatCount(remarks.length, 'remark')}</span>
        )}
      </h3>
      {connection !== null && (
        <dl className={classes.fields}>
          <dt>Name</dt>
          <dd className="w5">{connection.name}</dd>
          <dt>Base URL</dt>
          {documentBaseUrl === null ? (
            <dd className={connection.baseUrl === null ? 't2' : 'mono'}>{connection.baseUrl ?? 'None'}</dd>
          ) : (
            <dd>
              <Checkbox
                checked={props.useBaseUrl}
                onChange={event => props.onUseBaseUrl(event.currentTarget.checked)}
                label={
                  <>
                    Use <code>{documentBaseUrl}</code> as base URL
                  </>
                }
              />
            </dd>
          )}
          <dt>Log inbound events</dt>
          <dd>{connection.persistEvents ? 'On' : 'Off'}</dd>
          <dt>URL and secret</dt>
          <dd className="t2">{isNew ? 'Made on import' : 'Stay as they are'}</dd>
        </dl>
      )}
      {remarks.length > 0 && <Remarks label="Warnings" remarks={remarks} goTo={goTo} />}
    </section>
  )
}
