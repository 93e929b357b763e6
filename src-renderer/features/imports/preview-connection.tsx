import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ImportPreview } from '#shared/model/import-preview.ts'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { useWorkspace } from '../workspaces/current-workspace.tsx'
import { otherWarnings } from './issues.ts'
import classes from './preview-step.module.css'

type Place = { readonly line: number; readonly column: number }

/** The connection as it will be, and what is to be known of the document. */
export function PreviewConnection(props: {
  readonly preview: ImportPreview
  readonly goTo: (place: Place) => void
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
      {warnings.length > 0 && (
        <ul className={classes.remarks} aria-label="Warnings">
          {warnings.map(({ line, column, path, message }) => (
            <Remark key={`${line}:${column} ${path} ${message}`} place={{ line, column }} goTo={goTo}>
              {message}
            </Remark>
          ))}
        </ul>
      )}
      {unsupported.length > 0 && (
        <>
          <h4 className={classes.subheading}>{formatCount(unsupported.length, 'part')} left out</h4>
          <ul className={classes.remarks} aria-label="Left out">
            {unsupported.map(({ name, reason, line, column }) => (
              <Remark key={`${line}:${column} ${name} ${reason}`} place={{ line, column }} goTo={goTo}>
                <code>{name}</code>: {reason}
              </Remark>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}

function Remark(props: {
  readonly place: Place
  readonly goTo: (place: Place) => void
  readonly children: ReactNode
}) {
  const { place, goTo, children } = props
  return (
    <li>
      <TriangleAlert size={14} aria-hidden="true" />
      <span>
        <button type="button" className={classes.line} onClick={() => goTo(place)}>
          Line {formatNumber(place.line)}
        </button>
        : {children}
      </span>
    </li>
  )
}
