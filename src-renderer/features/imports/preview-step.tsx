import type { ComponentProps } from 'react'
import type { ImportPreview } from '#shared/model/import-preview.ts'
import type { ServerTargets } from '#shared/model/import-server.ts'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { Fact } from '../../ui/fact.tsx'
import { focusOnMount } from '../../ui/focus.ts'
import { formatCount } from '../../ui/format.ts'
import { chosenPart, type Unchecked, withChecked } from './choice.ts'
import { grouped, isAboutHost, otherWarnings } from './issues.ts'
import { ActionEntries, EventTypeEntries } from './preview-entries.tsx'
import { BaseUrlChoice, PreviewServers } from './preview-servers.tsx'
import { type AskedAuth, SignInChoice } from './preview-sign-in.tsx'
import classes from './preview-step.module.css'
import { PreviewChecks } from './preview-variables.tsx'
import { Remarks } from './remarks.tsx'

/** Shows what an import will create, after what a person should check. Each entry can be left out. */
export function PreviewStep(
  props: ComponentProps<typeof PreviewConnection> &
    ComponentProps<typeof PreviewChecks> & {
      readonly unchecked: Unchecked
      readonly onCheck: (unchecked: Unchecked) => void
      /** The connection that the import goes into; null for a new one. */
      readonly connectionId: string | null
    },
) {
  const { preview, unchecked, onCheck } = props
  const tick = (kind: keyof Unchecked) => (names: readonly string[], isChecked: boolean) =>
    onCheck(withChecked(unchecked, kind, names, isChecked))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <section className={classes.preview} aria-label="Preview" tabIndex={0} ref={focusOnMount} data-scroller>
      <PreviewChecks {...props} preview={chosenPart(preview, unchecked)} />
      <PreviewConnection {...props} />
      <PreviewServers
        preview={preview}
        asked={props.servers}
        onAsk={props.onServers}
        connectionId={props.connectionId}
      />
      <ActionEntries
        entries={preview.details.actions}
        leftOut={preview.unsupported}
        what="to create"
        choice={{ unchecked: unchecked.actions, onCheck: tick('actions') }}
      />
      <EventTypeEntries
        entries={preview.details.eventTypes}
        what="to create"
        choice={{ unchecked: unchecked.eventTypes, onCheck: tick('eventTypes') }}
      />
    </section>
  )
}

/** Shows the connection after the import, and remarks on the document. */
function PreviewConnection(props: {
  readonly preview: ImportPreview
  readonly goTo: (place: { readonly line: number; readonly column: number }) => void
  readonly asked: AskedAuth
  readonly onAsk: (asked: AskedAuth) => void
  readonly servers: ServerTargets
  readonly onServers: (asked: ServerTargets) => void
}) {
  const { preview, goTo } = props
  const { workspace } = useWorkspace()
  const { connection } = preview
  const warnings = otherWarnings(preview, preview.issues).filter(issue => !isAboutHost(issue))
  const remarks = grouped(warnings)
  const isNew = connection?.connectionId === null
  return (
    <section className={classes.part} aria-label="Target connection">
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
          <Fact name="Log inbound events">{connection.persistEvents ? 'On' : 'Off'}</Fact>
          <dt>Base URL</dt>
          <dd>
            <BaseUrlChoice
              preview={preview}
              asked={props.servers}
              onAsk={props.onServers}
              baseUrl={connection.baseUrl}
            />
          </dd>
          {preview.auth.length > 0 && (
            <Fact name="Sign-in">
              <SignInChoice preview={preview} asked={props.asked} onAsk={props.onAsk} />
            </Fact>
          )}
          <dt>URL and secret</dt>
          <dd className="t2">{isNew ? 'Made on import' : 'Unchanged'}</dd>
        </dl>
      )}
      {remarks.length > 0 && <Remarks remarks={remarks} goTo={goTo} />}
    </section>
  )
}
