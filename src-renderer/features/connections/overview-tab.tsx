import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { ConnectionChange } from '#shared/model/connection.ts'
import { settingsDefaults } from '#shared/model/settings.ts'
import { api, client } from '../../client/client.ts'
import { problemOf } from '../../client/problem.ts'
import { StatusCode } from '../../ui/badges.tsx'
import { binarySize, formatDate } from '../../ui/format.ts'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { Body, Foot } from '../../ui/page.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { toastProblem } from '../../ui/toasts.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useUnsavedGuard } from '../../ui/use-unsaved-guard.tsx'
import {
  type ConnectionDraft,
  type DraftField,
  draftFields,
  draftLabels,
  draftOf,
  errorsByField,
  judgeDraft,
} from './connection-draft.ts'
import { ConnectionForm } from './connection-form.tsx'
import { useCurrentConnection } from './current-connection.tsx'
import { OverviewFigures } from './overview-figures.tsx'
import classes from './overview-tab.module.css'
import { ReceiveEvents } from './receive-events.tsx'
import { useConnectionStatistics } from './use-connections.ts'

const CodeCard = lazyComponent(() => import('./code-card.tsx'))

/** A connection at a glance: what it did, how to send to it, and how it is set. */
export function OverviewTab() {
  const connection = useCurrentConnection()
  const { connectionId, name, createdAt } = connection
  const statistics = useConnectionStatistics(connectionId)
  const form = useConnectionForm()
  useUnsavedGuard({
    isDirty: form.changed.length > 0,
    what: `the connection ${name}`,
    save: form.save,
  })
  return (
    <>
      <Body>
        <div className={classes.page}>
          <OverviewFigures connectionId={connectionId} statistics={statistics} />
          <div className={classes.columns}>
            <div className={classes.column}>
              <ReceiveEvents />
              <SenderAnswers />
              <ConnectionForm draft={form.draft} errors={form.errors} onEdit={form.edit} />
            </div>
            <div className={classes.column}>
              <CodeCard statistics={statistics} fallback={<div style={{ height: 430 }} aria-busy="true" />} />
            </div>
          </div>
        </div>
      </Body>
      {form.changed.length > 0 && (
        <SaveBar
          what={`Unsaved: ${form.changed.map(field => draftLabels[field]).join(', ')}`}
          saving={form.saving}
          onSave={() => void form.save()}
          onDiscard={form.discard}
        />
      )}
      <Foot
        hints={[
          { keys: '1–4', does: 'tabs' },
          { keys: 'mod+shift+c', does: 'copy inbound URL' },
          { keys: 't', does: 'send test event' },
          { keys: 'mod+s', does: 'save' },
        ]}
      >
        Created {formatDate(createdAt)} ·{' '}
        {form.changed.length === 0 ? 'all changes saved' : 'unsaved changes'}
      </Foot>
    </>
  )
}

/** What was typed and not saved, over what is saved: whatever others change meanwhile shows through. */
function useConnectionForm() {
  const connection = useCurrentConnection()
  const { connectionId } = connection
  const queries = useQueryClient()
  const { draft, set, discard, settle, ...edits } = useDraft(draftOf(connection))
  const changed = draftFields(edits.changed)
  const [errors, setErrors] = useState<Readonly<Partial<Record<DraftField, string>>>>({})
  const save = useMutation({
    mutationFn: ({ change }: { readonly draft: ConnectionDraft; readonly change: ConnectionChange }) =>
      client.connections.update({ connectionId, ...change }),
    onSuccess(saved, sent) {
      queries.setQueryData(api.connections.get.queryKey({ input: { connectionId } }), saved)
      settle(sent.draft)
      return queries.invalidateQueries({ queryKey: api.connections.key() })
    },
    onError(error) {
      const byField = errorsByField(problemOf(error).issues)
      setErrors(byField)
      if (Object.keys(byField).length === 0) toastProblem('The change was not saved', error)
    },
  })
  return {
    draft,
    changed,
    errors,
    saving: save.isPending,
    edit(edit: Partial<ConnectionDraft>) {
      set(edit)
      setErrors(before => Object.fromEntries(Object.entries(before).filter(([field]) => !(field in edit))))
    },
    /** @returns whether it is saved; where it is not, the form or a message shows why. */
    async save(): Promise<boolean> {
      const judged = judgeDraft(draft, changed)
      if (!judged.ok) setErrors(judged.errors)
      return (
        judged.ok &&
        save.mutateAsync({ draft, change: judged.change }).then(
          () => true,
          () => false,
        )
      )
    },
    discard() {
      discard()
      setErrors({})
    },
  }
}

/** The statuses that an inbound URL answers with, and what each means. */
function SenderAnswers() {
  const { data: settings = settingsDefaults } = useQuery(api.settings.get.queryOptions())
  return (
    <section aria-labelledby="sender-answers">
      <h2 className="h3" id="sender-answers">
        What a sender gets back
      </h2>
      <dl className={classes.answers}>
        <Answer status={200}>
          Accepted: <code>{'{"ok": true}'}</code>
        </Answer>
        <Answer status={400}>
          Not JSON, or no <code>event</code>
        </Answer>
        <Answer status={401}>Signature or time is wrong</Answer>
        <Answer status={403}>Connection is disabled</Answer>
        <Answer status={404}>URL is unknown</Answer>
        <Answer status={413}>Body is over {binarySize(settings.maxBodyBytes)}</Answer>
      </dl>
    </section>
  )
}

function Answer({ status, children }: { readonly status: number; readonly children: ReactNode }) {
  return (
    <div className={classes.answer}>
      <dt>
        <StatusCode status={status} />
      </dt>
      <dd>{children}</dd>
    </div>
  )
}
