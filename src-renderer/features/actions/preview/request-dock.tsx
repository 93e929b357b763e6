import { Button } from '@mantine/core'
import { Pencil } from 'lucide-react'
import type { Action } from '#shared/model/action.ts'
import { exactArguments } from '../../../client/exact-arguments.ts'
import { readArguments, valuesOf } from '../../../entities/action/argument-values.ts'
import { useTypedArguments } from '../../../entities/action/use-typed-arguments.ts'
import { useCurrentConnection } from '../../../entities/connection/current-connection.tsx'
import { fieldsOf } from '../action-draft.ts'
import { openPlaceholders } from '../definition/placeholders.ts'
import { useTests } from '../test/use-test-call.ts'
import type { DraftForm } from '../use-action-draft.ts'
import { useActionPlace } from '../use-action-place.ts'
import { exampleArguments } from './example-arguments.ts'
import classes from './preview.module.css'
import { Variables } from './preview-view.tsx'
import { previewOf } from './request-preview.ts'

/** The request that the definition makes, with the arguments of the last test, or with examples. */
export function RequestDock({ form, action }: { readonly form: DraftForm; readonly action: Action | null }) {
  const connection = useCurrentConnection()
  const place = useActionPlace()
  const { tests } = useTests(action?.actionId ?? null)
  const [typed] = useTypedArguments(action?.actionId ?? 'new')
  const fields = fieldsOf(form.draft)
  const values = typed ?? (tests[0] && valuesOf(fields.parameters, exactArguments(tests[0])))
  const given =
    values === undefined
      ? exampleArguments(fields.parameters)
      : readArguments(fields.parameters, values).given
  const { method, url, query, headers, body, issues } = previewOf(connection, fields, given)
  const search = query.map(({ name, value }) => `${name}=${value}`).join('&')
  const [open] = openPlaceholders(fields)
  const wrong = open === undefined ? issues[0]?.message : `Not sent as it is: {${open}} has no value`
  return (
    <section className={classes.dock} aria-label="Request">
      <div className="row sm">
        <b>Request</b>
        <span className={`${wrong === undefined ? 't3' : 'bad'} cut`}>
          {wrong ??
            `with ${values === undefined ? 'examples' : 'the arguments of Test'}; the signature is added when it is sent`}
        </span>
        <span className="push" />
        <Button size="xs" variant="subtle" leftSection={<Pencil />} onClick={() => place.setPanel('test')}>
          Edit example
        </Button>
      </div>
      <code>
        {method} {url ?? fields.path}
        {search !== '' && (
          <span className="acc">
            ?<Variables text={search} />
          </span>
        )}
      </code>
      <div className={classes.dockHeaders}>
        {headers
          .filter(({ isLater = false }) => !isLater)
          .map(({ name, value }) => (
            <code key={name}>
              <span className="t3">{name.toLowerCase()}:</span> <Variables text={value} />
            </code>
          ))}
      </div>
      {body.kind === 'text' && <code>{body.text}</code>}
      {body.kind === 'parts' && (
        <code>{body.parts.map(({ name, value }) => `${name}: ${value}`).join(' · ')}</code>
      )}
    </section>
  )
}
