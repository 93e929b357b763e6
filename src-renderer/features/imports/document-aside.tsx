import { Button } from '@mantine/core'
import { CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { ErrorState } from '../../ui/empty-state.tsx'
import classes from './import-dialog.module.css'
import { partsInWords } from './import-words.ts'
import type { PreviewState } from './use-import-preview.ts'

/** Beside an empty editor: what it takes. */
export function WhatItTakes() {
  return (
    <Aside title="What can be imported">
      <dl className={classes.takes}>
        <dt>Import document</dt>
        <dd>
          JSON with a <code>connection</code>, <code>actions</code>, <code>events</code>, or some of them. An
          export is one.
        </dd>
        <dt>OpenAPI 3.0 or 3.1</dt>
        <dd>JSON or YAML. Its operations become actions.</dd>
        <dt>curl command</dt>
        <dd>Becomes one action. Credentials in it turn into variables and are kept nowhere.</dd>
      </dl>
    </Aside>
  )
}

/** Beside a text that nothing is to be said of; or that nobody could look at. */
export function Verdict({ state }: { readonly state: PreviewState }) {
  const { error, preview, checkAgain } = state
  if (error !== null)
    return (
      <div className={classes.asideBody}>
        <ErrorState
          title="The text was not checked"
          error={error}
          actions={
            <Button size="xs" onClick={checkAgain}>
              Try again
            </Button>
          }
        />
      </div>
    )
  if (preview === null || !preview.valid) return null
  const parts = partsInWords(preview.actions.create.length, preview.eventTypes.create.length)
  return (
    <Aside title="No problems">
      <p className={`row sm ${classes.fine}`}>
        <CircleCheck size={16} className="ok" aria-hidden="true" />
        {parts === '' ? 'It holds nothing new.' : `${parts} to create.`}
      </p>
    </Aside>
  )
}

function Aside({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <>
      <div className={classes.asideHead}>
        <h3 className="h3">{title}</h3>
      </div>
      <div className={classes.asideBody}>{children}</div>
    </>
  )
}
