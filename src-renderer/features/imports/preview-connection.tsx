import type { ImportPreview } from '#shared/model/import-preview.ts'
import { formatCount } from '../../ui/format.ts'
import { useWorkspace } from '../workspaces/current-workspace.tsx'
import { otherWarnings } from './issues.ts'
import classes from './preview-step.module.css'
import { Remarks } from './remarks.tsx'

/** The connection as it will be, and what is to be known of the document. */
export function PreviewConnection(props: {
  readonly preview: ImportPreview
  readonly goTo: (place: { readonly line: number; readonly column: number }) => void
}) {
  const { preview, goTo } = props
  const { workspace } = useWorkspace()
  const { connection, unsupported } = preview
  const warnings = otherWarnings(preview)
  const isNew = connection?.connectionId === null
  return (
    // What scrolls is in reach of the keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section className={classes.part} aria-label="Connection" tabIndex={0}>
      <h3 className={classes.heading}>
        {isNew ? 'New connection' : 'Connection that is there'}
        {isNew && <span className={classes.aside}>in {workspace?.name}</span>}
      </h3>
      {connection !== null && (
        <dl className={classes.fields}>
          <dt>Name</dt>
          <dd className="w5">{connection.name}</dd>
          <dt>Base URL</dt>
          <dd className={connection.baseUrl === null ? 't2' : 'mono'}>{connection.baseUrl ?? 'None'}</dd>
          <dt>Log inbound events</dt>
          <dd>{connection.persistEvents ? 'On' : 'Off'}</dd>
          <dt>URL and secret</dt>
          <dd className="t2">{isNew ? 'Made on import' : 'Stay as they are'}</dd>
        </dl>
      )}
      {warnings.length > 0 && <Remarks label="Warnings" remarks={warnings} goTo={goTo} />}
      {unsupported.length > 0 && (
        <>
          <h4 className={classes.subheading}>{formatCount(unsupported.length, 'part')} left out</h4>
          <Remarks
            label="Left out"
            goTo={goTo}
            remarks={unsupported.map(({ name, reason, line, column }) => ({
              line,
              column,
              message: (
                <>
                  <code>{name}</code>: {reason}
                </>
              ),
            }))}
          />
        </>
      )}
    </section>
  )
}
