import { z } from 'zod'
import { headerNameProblem } from '#shared/model/action-headers.ts'
import { encodeText, takesQuery } from '#shared/model/action-url.ts'
import { mask } from '#shared/model/environment.ts'
import { ConnectionId } from '#shared/model/identifiers.ts'
import { invalidKey } from '#shared/model/issue.ts'
import { Method } from '#shared/model/method.ts'
import { Template, TemplatedJson } from '#shared/model/template.ts'
import {
  type BodyEncoding,
  bodyProblem,
  contentTypeOf,
  encodingOf,
  FormOptions,
  formProblem,
  type HttpBody,
  renderBody,
} from '../http-body.ts'
import { AllowedHosts, hostOfUrl } from '../http-hosts.ts'
import { renderUrl } from '../http-url.ts'
import { RenderedTooLarge, type Renderer } from '../renderer.ts'
import { replaceVariables, variablesIn } from '../templates.ts'
import { ConnectionName, impossible, type StepKind, simple, stepFields, textsIn } from './step-kind.ts'

/** Without hosts, variables are allowed only in the path and the query: an event must not choose the host that is called. */
function checkUrl(
  { url: text, hosts }: { url: string; hosts?: readonly string[] | undefined },
  context: z.RefinementCtx,
): void {
  const hasHost = hosts !== undefined
  // Braces are allowed in a path, but not in a host.
  const inserted = (begins: boolean) => (!hasHost ? '{}' : begins ? 'https://x' : 'x')
  const [first] = variablesIn(text)
  const from = hasHost && first?.from === 0 ? first.to : 0
  const written = (from > 0 ? inserted(true) : '') + replaceVariables(text.slice(from), () => inserted(false))
  const url = written.replace(/\{\{[^{}]*\}\}/g, '{}')
  if (/^https?:\/\/[^/?#{}\s@]+(?:[/?][^\s]*)?$/i.test(url) && z.url().safeParse(url).success) return
  const hasUser = /^https?:\/\/[^/?#\s]*@/i.test(text)
  const ofHost = hasHost
    ? 'A variable at its beginning is the whole host, too.'
    : 'The host cannot have variables, unless `hosts` names those that are allowed.'
  context.addIssue({
    code: 'custom',
    path: ['url'],
    message: hasUser
      ? 'Remove the user name and password from the URL. Use an Authorization header with a variable instead.'
      : `Write an absolute URL such as https://api.example.com/orders/{{order_id}}. ${ofHost}`,
  })
}

const HttpHeaders = z.record(z.string(), Template).superRefine((headers, context) => {
  for (const name of Object.keys(headers)) {
    const problem = headerNameProblem(name)
    if (problem !== null) context.addIssue(invalidKey(name, problem))
  }
})

const signer = 'The connection whose secret signs the request.'
const fields = {
  ...stepFields,
  type: z.literal('http'),
  method: Method,
  url: Template.trim(),
  hosts: AllowedHosts.optional(),
  headers: HttpHeaders.optional(),
  body: TemplatedJson.optional().describe(
    'Sent as the Content-Type says: a string as it is written, an object as a form or as JSON. JSON by default.',
  ),
  form: FormOptions.optional(),
  signWith: ConnectionId.optional().describe(signer),
}
export const HttpStep = z.object(fields).superRefine(checkUrl)
export type HttpStep = z.infer<typeof HttpStep>

const Written = z
  .object({ ...fields, signWith: ConnectionName.optional().describe(signer) })
  .superRefine(checkUrl)
export type DocumentHttp = z.infer<typeof Written>

const hiddenHost = 'The host of the URL is not among the hosts of the step. Nothing was sent.'

/** Why a URL from an answer is not called: only a part that is inserted as it is can have such a mask. */
const hiddenPart =
  'The URL comes from an answer in which the service has hidden the value of an environment variable as ••••. Nothing was sent.'

type HttpEffect = {
  readonly kind: 'http'
  readonly step: HttpStep
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Replace the headers with secrets wherever the request is shown. */
  readonly maskedHeaders: Readonly<Record<string, string>>
  /** URL and body as they are shown; absent if that is as they are. */
  readonly shown?: { readonly url: string; readonly body: string }
  /** Empty for a request without a body. */
  readonly body: string
  readonly encoding: BodyEncoding
}

/** Sends a request to any address. */
export const http: StepKind<HttpStep, HttpEffect, DocumentHttp> = {
  ...simple(HttpStep),
  does: 'call',
  takesSecrets: true,
  document: {
    schema: () => Written,
    write: (step, _change, nameOf) =>
      step.signWith === undefined ? step : { ...step, signWith: nameOf(step.signWith) },
    read: (step, _change, idOf) =>
      step.signWith === undefined ? step : { ...step, signWith: idOf(step.signWith, ['signWith']) },
  },
  texts: ({ url, headers, body }) => [
    ...textsIn({ url }),
    ...textsIn({ headers }).map(text => (text.as === 'name' ? text : { ...text, as: 'header' as const })),
    ...textsIn({ body }),
  ],
  sendsTo: ({ url, hosts }) => hosts?.join(', ') ?? hostOfUrl(replaceVariables(url, () => 'x')),
  uses: ({ signWith }) => (signWith === undefined ? [] : [{ connectionId: signWith, toolName: null }]),
  check({ method, headers = {}, body, form, signWith }, { connections, add }) {
    const wrong = form && formProblem(takesQuery(method) ? undefined : body, contentTypeOf(headers))
    if (wrong != null) add('warning', 'body_mismatch', ['form'], wrong)

    if (body !== undefined && takesQuery(method))
      add(
        'warning',
        'body_not_sent',
        ['body'],
        'A GET is sent without its body. Choose another method, or remove the body.',
      )
    else if (body !== undefined) {
      const problem = bodyProblem(body, contentTypeOf(headers))
      if (problem !== null) add('warning', 'body_mismatch', ['body'], problem)
    }
    if (signWith !== undefined && !connections.has(signWith))
      add('error', 'unknown_connection', ['signWith'], 'The connection that signs does not exist.')
  },
  prepare(step, render) {
    const { url, problem } = renderUrl(step.url, render, step.hosts)
    const shown = render.shown === null ? null : renderUrl(step.url, render.shown, step.hosts)
    const shownUrl = shown?.url ?? url
    if (step.hosts !== undefined && url.includes(mask))
      return impossible({ method: step.method, url: shownUrl }, 'host_not_allowed', hiddenPart)
    if (problem !== null) {
      // The message has the URL.
      const message =
        shown === null || problem.code === 'invalid_path' ? problem.message : shown.problem?.message
      return impossible({ method: step.method, url: shownUrl }, problem.code, message ?? hiddenHost)
    }
    const { headers, maskedHeaders } = renderHeaders(step, render)
    const contentType = contentTypeOf(headers)
    const hasBody = step.body !== undefined && !takesQuery(step.method)
    const body = hasBody ? renderBody(step.body, contentType, render, step.form) : null
    const shownBody = body && render.shown ? renderShown(step, contentType, render.shown) : body
    const input = {
      method: step.method,
      url: shownUrl,
      headers: { ...headers, ...maskedHeaders },
      ...(shownBody !== null && { body: shownBody.value }),
    }
    const text = body?.text ?? ''
    const encoding = encodingOf(text, contentType)
    if (encoding === null)
      return impossible(
        input,
        'invalid_body',
        'The body cannot be sent in the charset of its Content-Type. Use UTF-8.',
      )
    const type = contentType === '' && body !== null && text !== '' ? { 'Content-Type': body.type } : {}
    return {
      input,
      effect: {
        ...{ kind: 'http', step, url, body: text, encoding, maskedHeaders },
        headers: { ...type, ...headers },
        ...(render.shown && { shown: { url: shownUrl, body: withMasks(shownBody?.text ?? '') } }),
      },
    }
  },
}

function renderHeaders(step: HttpStep, render: Renderer): Pick<HttpEffect, 'headers' | 'maskedHeaders'> {
  const headers: Record<string, string> = {}
  const maskedHeaders: Record<string, string> = {}
  for (const [name, template] of Object.entries(step.headers ?? {})) {
    const { value, shown } = render.header(name, template)
    const masked = render.shown?.header(name, template)
    headers[name] = value
    const instead = masked === undefined ? shown : (masked.shown ?? masked.value)
    if (instead !== null && instead !== value) maskedHeaders[name] = instead
  }
  return { headers, maskedHeaders }
}

/** A form encodes masks. */
const withMasks = (text: string) => text.replaceAll(encodeText(mask), mask)

/** Returns a body as it is shown. Masks can make a form too large that is not. */
function renderShown(
  { body, form }: HttpStep,
  contentType: string,
  render: Renderer,
): Pick<HttpBody, 'text' | 'value'> {
  try {
    return renderBody(body, contentType, render, form)
  } catch (error) {
    if (error instanceof RenderedTooLarge) return { text: mask, value: mask }
    throw error
  }
}
