import { Button, NativeSelect, TextInput } from '@mantine/core'
import { Globe, Plus, X } from 'lucide-react'
import { useState } from 'react'
import { takesQuery } from '#shared/model/action-url.ts'
import { Method } from '#shared/model/method.ts'
import {
  type BodyKind,
  bodyKindOf,
  contentTypeOf,
  FormOptions,
  formProblem,
  jsonIn,
  renderBody,
} from '#shared/workflows/http-body.ts'
import { renderUrl } from '#shared/workflows/http-url.ts'
import type { Scope } from '#shared/workflows/scope.ts'
import type { HttpStep } from '#shared/workflows/steps/http.ts'
import { soleVariable } from '#shared/workflows/templates.ts'
import { Method as MethodBadge } from '../../../ui/badges.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { JsonEditor } from '../../../ui/json-editor.tsx'
import { SearchSelect } from '../../../ui/search-select.tsx'
import { TagsField } from '../../../ui/tags-field.tsx'
import { pathKey } from '../step-paths.ts'
import { FieldProblems, FieldRow, PreviewText, TemplateRow } from './field-parts.tsx'
import { type Preview, previewBy } from './preview.ts'
import { type FieldsOf, plain, type StepView, useStepEditing } from './step-view.ts'
import classes from './steps.module.css'
import { TemplateText } from './template-text.tsx'

export const http: StepView<HttpStep> = {
  ...plain,
  name: 'HTTP request',
  purpose: 'Sends a request to any address',
  icon: Globe,
  key: 'request',
  blank: key => ({ key, type: 'http', method: 'POST', url: '' }),
  title: () => http.name,
  target: ({ method, url }) =>
    url === '' ? null : { method, name: url, from: hostOf(url), text: `${method} ${hostOf(url)}` },
  outcome: () => null,
  problems: step => (isBrokenBody(step) ? [{ path: ['body'], message: brokenBody }] : []),
  Summary: ({ step: { method, url } }) => (
    <span className="row">
      <MethodBadge method={method} />
      <span className="cut">{url === '' ? 'No address yet' : <TemplateText text={url} />}</span>
    </span>
  ),
  Fields,
}

/** Returns the host of a step's URL; the URL itself while it is not valid. */
function hostOf(url: string): string {
  return /^https?:\/\/([^/?#{}\s]+)/i.exec(url)?.[1] ?? url
}

const brokenBody =
  'The body is not valid JSON. Correct it, or add the header Content-Type, for example text/plain.'

/** Returns whether a body is meant as JSON but is kept as text, because it cannot be parsed. */
function isBrokenBody({ body, headers = {} }: HttpStep): boolean {
  if (typeof body !== 'string' || soleVariable(body) !== null) return false
  if (bodyKindOf(contentTypeOf(headers)) !== 'json') return false
  return /^\s*[[{"]/.test(body) && jsonIn(body) === undefined
}

/** The request: its method, address, headers, body and signature. */
function Fields({ step, path }: FieldsOf<HttpStep>) {
  const { useConnectionChoice, setStep, contextAt } = useStepEditing()
  const { method, url, hosts, headers = {}, body, form, signWith } = step
  const signers = useConnectionChoice(signWith)
  const setHeaders = (next: Readonly<Record<string, string>>, field?: string) => {
    const { headers: _, ...rest } = step
    setStep(path, Object.keys(next).length === 0 ? rest : { ...rest, headers: { ...next } }, field)
  }
  const hasBody = !takesQuery(method) || body !== undefined
  return (
    <>
      <FieldRow label="Method">
        <NativeSelect
          size="sm"
          w={120}
          aria-label="Method"
          classNames={{ input: 'mono' }}
          data={Method.options}
          value={method}
          onChange={event => setStep(path, { ...step, method: Method.parse(event.currentTarget.value) })}
        />
      </FieldRow>
      <TemplateRow
        label="Address"
        path={[...path, 'url']}
        step={path}
        value={url}
        previewWith={scope => previewOfUrl(url, scope, hosts)}
        placeholder="https://api.example.com/orders/{{order_id}}"
        onChange={(next, field) => setStep(path, { ...step, url: next }, field)}
      />
      {(hosts !== undefined || hasHostOfData(url)) && <HostsField step={step} path={path} />}
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
          onChange={(next, field) => setHeaders({ ...headers, [name]: next }, field)}
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
      {(form !== undefined || (hasBody && formProblem(body, contentTypeOf(headers)) === null)) && (
        <ListsField step={step} path={path} />
      )}
      {!takesQuery(method) && body !== undefined && (
        <div className={`${classes.holds} sm t3`}>
          Sent as{' '}
          <PreviewText preview={previewOfBody(body, contentTypeOf(headers), contextAt(path).scope, form)} />
        </div>
      )}
      <FieldRow label="Sign with">
        <SearchSelect
          size="sm"
          aria-label="Sign with"
          value={signWith ?? ''}
          onTyped={signers.onTyped}
          data={[
            { value: '', label: 'Not signed' },
            ...signers.rows.map(({ connectionId, name }) => ({
              value: connectionId,
              label: `Secret of ${name}`,
            })),
          ]}
          onChange={id => {
            const { signWith: _, ...rest } = step
            setStep(path, id === null || id === '' ? rest : { ...rest, signWith: id })
          }}
        />
      </FieldRow>
      <FieldProblems path={[...path, 'signWith']} />
    </>
  )
}

/** Returns whether a URL begins with a variable, or has one in its host. */
const hasHostOfData = (url: string) => /^\s*(?:https?:\/\/[^/?#]*)?\{\{/i.test(url)

/** The hosts that a URL with a host from data may have. */
function HostsField({ step, path }: FieldsOf<HttpStep>) {
  const { setStep } = useStepEditing()
  const { hosts, ...rest } = step
  return (
    <>
      <FieldRow label="Hosts" path={[...path, 'hosts']}>
        <TagsField
          size="sm"
          className="grow"
          aria-label="Hosts"
          placeholder={hosts === undefined ? 'api.example.com or *.example.com' : ''}
          description="Other hosts are not called: host_not_allowed"
          inputWrapperOrder={['input', 'description']}
          value={[...(hosts ?? [])]}
          onChange={next => setStep(path, next.length === 0 ? rest : { ...rest, hosts: next })}
        />
      </FieldRow>
      <FieldProblems path={[...path, 'hosts']} />
    </>
  )
}

const writtenLists: Readonly<Record<FormOptions['lists'], string>> = {
  repeat: 'tag=a&tag=b',
  brackets: 'tag[]=a&tag[]=b',
  indexed: 'tag[0]=a&tag[1]=b',
  comma: 'tag=a,b',
}

/** How lists are written in a form. Without a choice, they repeat their names. */
function ListsField({ step, path }: FieldsOf<HttpStep>) {
  const { setStep } = useStepEditing()
  const { form, ...rest } = step
  return (
    <>
      <FieldRow label="Lists" path={[...path, 'form']}>
        <NativeSelect
          size="sm"
          w={210}
          aria-label="Lists in the form"
          classNames={{ input: 'mono' }}
          data={FormOptions.shape.lists.options.map(value => ({ value, label: writtenLists[value] }))}
          value={form?.lists ?? 'repeat'}
          onChange={event => {
            const lists = FormOptions.shape.lists.parse(event.currentTarget.value)
            setStep(path, lists === 'repeat' ? rest : { ...rest, form: { lists } })
          }}
        />
      </FieldRow>
      <FieldProblems path={[...path, 'form']} />
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
    <FieldRow label="Header">
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
    </FieldRow>
  )
}

/** The body as JSON, or as the text that its Content-Type says. A text that should be JSON and is not is kept, and marked. */
function BodyField({ step, path }: FieldsOf<HttpStep>) {
  const { setStep, contextAt } = useStepEditing()
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

function bodyOf(text: string, kind: BodyKind): HttpStep['body'] {
  if (text.trim() === '') return undefined
  if (kind === 'text' || (kind === 'form' && !text.trim().startsWith('{'))) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Returns the URL of an HTTP request as it is called. @param scope null if there is no event to try it with. */
export function previewOfUrl(
  template: string,
  scope: Scope | null,
  hosts?: readonly string[],
): Preview | null {
  return previewBy(scope, render => {
    const { url, problem } = renderUrl(template, render, hosts)
    return problem === null
      ? { kind: 'value', value: url, absent: [] }
      : { kind: 'failed', why: problem.message }
  })
}

/** Returns the value of a header, with masked environment variables. @param scope null if there is no event to try it with. */
export function previewOfHeader(name: string, template: string, scope: Scope | null): Preview | null {
  return previewBy(scope, render => {
    const { value, shown } = render.header(name, template)
    return { kind: 'value', value: shown ?? value, absent: [...render.absent] }
  })
}

/** Returns the body of an HTTP request as it is sent. @param scope null if there is no event to try it with. */
export function previewOfBody(
  body: unknown,
  contentType: string,
  scope: Scope | null,
  form?: FormOptions,
): Preview | null {
  return previewBy(scope, render => ({
    kind: 'text',
    text: renderBody(body, contentType, render, form).text,
  }))
}
