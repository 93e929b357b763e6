import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { settingsDefaults } from '#shared/model/settings.ts'
import { api } from '../../client/client.ts'
import { binarySize } from '../../ui/binary-size.ts'
import { StatusCode } from '../../ui/status-code.tsx'
import classes from './overview-tab.module.css'

/** The statuses that an inbound URL answers with, and what each means. */
export function SenderAnswers() {
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
