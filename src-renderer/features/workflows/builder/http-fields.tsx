import { Button, NativeSelect, TextInput } from '@mantine/core'
import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { Method } from '#shared/model/action.ts'
import { takesQuery } from '#shared/model/action-url.ts'
import { type BodyKind, bodyKindOf, contentTypeOf, jsonIn } from '#shared/workflows/http-body.ts'
import { pathKey } from '../../../entities/workflow/step-paths.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { JsonEditor } from '../../../ui/json-editor.tsx'
import { SearchSelect } from '../../../ui/search-select.tsx'
import classes from './builder.module.css'
import type { FieldsOf } from './builder-context.ts'
import { useBuilder } from './builder-context.ts'
import { FieldProblems, PreviewText, TemplateRow } from './card-parts.tsx'
import { previewOfBody, previewOfHeader, previewOfUrl } from './sample.ts'

/** The request: its method, address, headers, body and signature. */
export function HttpFields({ step, path }: FieldsOf<'http'>) {
  const { setStep, connections, contextAt } = useBuilder()
  const { method, url, headers = {}, body, signWith } = step
  const key = pathKey(path)
  const setHeaders = (next: Readonly<Record<string, string>>, field?: string) => {
    const { headers: _, ...rest } = step
    setStep(path, Object.keys(next).length === 0 ? rest : { ...rest, headers: { ...next } }, field)
  }
  const hasBody = !takesQuery(method) || body !== undefined
  return (
    <>
      <div className={classes.templateRow}>
        <span className={classes.label}>Method</span>
        <NativeSelect
          size="sm"
          w={120}
          aria-label="Method"
          classNames={{ input: 'mono' }}
          data={Method.options}
          value={method}
          onChange={event => setStep(path, { ...step, method: Method.parse(event.currentTarget.value) })}
        />
      </div>
      <TemplateRow
        label="Address"
        path={[...path, 'url']}
        step={path}
        value={url}
        previewWith={scope => previewOfUrl(url, scope)}
        placeholder="https://api.example.com/orders/{{order_id}}"
        onChange={next => setStep(path, { ...step, url: next }, `${key}.url`)}
      />
      {Object.entries(headers).map(([name, value]) => (
        <TemplateRow
          key={name}
          label={name}
          isName
          isHeader
          path={[...path, 'headers', name]}
          step={path}
          value={value}
          previewWith={scope => previewOfHeader(name, value, scope)}
          onChange={next => setHeaders({ ...headers, [name]: next }, `${key}.headers.${name}`)}
          end={
            <IconButton
              icon={X}
              size="xs"
              label={`Remove the header ${name}`}
              onClick={() => {
                const { [name]: _, ...rest } = headers
                setHeaders(rest)
              }}
            />
          }
        />
      ))}
      <NewHeader onAdd={name => setHeaders({ ...headers, [name]: headers[name] ?? '' })} />
      {hasBody && <BodyField step={step} path={path} />}
      {!takesQuery(method) && body !== undefined && (
        <div className={`${classes.holds} sm t3`}>
          Sent as <PreviewText preview={previewOfBody(body, contentTypeOf(headers), contextAt(path).scope)} />
        </div>
      )}
      <div className={classes.templateRow}>
        <span className={classes.label}>Sign with</span>
        <SearchSelect
          size="sm"
          aria-label="Sign with"
          value={signWith ?? ''}
          data={[
            { value: '', label: 'Not signed' },
            ...connections.map(({ connectionId, name }) => ({
              value: connectionId,
              label: `Secret of ${name}`,
            })),
          ]}
          onChange={id => {
            const { signWith: _, ...rest } = step
            setStep(path, id === null || id === '' ? rest : { ...rest, signWith: id })
          }}
        />
      </div>
      <FieldProblems path={[...path, 'signWith']} />
    </>
  )
}

function NewHeader({ onAdd }: { readonly onAdd: (name: string) => void }) {
  const [name, setName] = useState('')
  function add(): void {
    if (name.trim() === '') return
    onAdd(name.trim())
    setName('')
  }
  return (
    <div className={classes.templateRow}>
      <span className={classes.label}>Header</span>
      <span className="row">
        <TextInput
          size="sm"
          className="grow"
          classNames={{ input: 'mono' }}
          aria-label="Name of a new header"
          placeholder="X-Name"
          value={name}
          onChange={event => setName(event.currentTarget.value)}
          onKeyDown={event => event.key === 'Enter' && add()}
        />
        <Button size="xs" variant="subtle" leftSection={<Plus />} onClick={add} disabled={name.trim() === ''}>
          Add header
        </Button>
      </span>
    </div>
  )
}

/** The body as JSON, or as the text that its Content-Type says. A text that should be JSON and is not is kept, and marked. */
function BodyField({ step, path }: FieldsOf<'http'>) {
  const { setStep, contextAt } = useBuilder()
  const { body } = step
  const kind = bodyKindOf(contentTypeOf(step.headers ?? {}))
  const [typed, setTyped] = useState('')
  const isTyped = JSON.stringify(bodyOf(typed, kind)) === JSON.stringify(body)
  const written = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body, null, 2)
  const text = isTyped ? typed : written
  const isJson =
    kind === 'json' && !text.trim().startsWith('{{') && !(typeof body === 'string' && jsonIn(body))
  return (
    <div className={classes.field} data-field={pathKey([...path, 'body'])}>
      <span className={classes.label}>Body</span>
      <JsonEditor
        label="Body"
        value={text}
        variables={contextAt(path)}
        minLines={2}
        maxLines={12}
        foot={false}
        language={isJson ? 'json' : 'text'}
        onChange={next => {
          setTyped(next)
          const { body: _, ...rest } = step
          const value = bodyOf(next, kind)
          setStep(path, value === undefined ? rest : { ...rest, body: value }, `${pathKey(path)}.body`)
        }}
      />
      <FieldProblems path={[...path, 'body']} />
    </div>
  )
}

function bodyOf(text: string, kind: BodyKind): FieldsOf<'http'>['step']['body'] {
  if (text.trim() === '') return undefined
  if (kind === 'text' || (kind === 'form' && !text.trim().startsWith('{'))) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
