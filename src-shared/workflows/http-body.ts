import { z } from 'zod'
import { isDeeperThan } from '../json/depth.ts'
import { isObject, tryParseExact } from '../json/exact-json.ts'
import { headerNamed } from '../model/action-headers.ts'
import { encodeText } from '../model/action-url.ts'
import { ParameterStyle } from '../model/parameter.ts'
import { MissingValue, maxRendered, RenderedTooLarge, type Renderer } from './renderer.ts'
import { replaceVariables, soleVariable, textOf, variablesIn, wrongVariablesIn } from './templates.ts'

/** The body of an HTTP request. */
export type HttpBody = {
  /** The body as it is sent. */
  readonly text: string
  /** The JSON value that is encoded, or the text. */
  readonly value: unknown
  /** The Content-Type of a request that sets none. */
  readonly type: string
}

/** How a body is written as a form. */
export const FormOptions = z.object({
  lists: ParameterStyle.extract(['repeat', 'brackets', 'indexed', 'comma']).describe(
    'How a list is written: `a=1&a=2` (left out: this), `a[]=1&a[]=2`, `a[0]=1&a[1]=2` or `a=1,2`.',
  ),
})
export type FormOptions = z.infer<typeof FormOptions>

/** Levels of nesting of a body, the same as for an event. */
const maxDepth = 1000

/** Returns the value of the header Content-Type, whose name can be in any case; an empty text if it is not set. */
export function contentTypeOf(headers: Readonly<Record<string, string>>): string {
  return headerNamed(headers, 'content-type') ?? ''
}

/**
 * Returns the body of a request with its variables replaced. A string is sent as it is written, unless it is sent as
 * JSON. An object is form-encoded if the Content-Type says so, and JSON otherwise. See docs/workflows.md.
 *
 * @param template a JSON value.
 * @param contentType an empty text for none.
 * @throws MissingValue for a body that is a variable without a value, and what the renderer throws.
 */
export function renderBody(
  template: unknown,
  contentType: string,
  render: Renderer,
  form?: FormOptions,
): HttpBody {
  const kind = bodyKindOf(contentType)
  const value = valueOfBody(template, kind, render)
  if (typeof template === 'string' && (value ?? null) === null)
    throw new MissingValue(soleVariable(template) ?? '', 'the body')
  const type = contentType || (typeof value === 'string' && jsonIn(value) === undefined ? textType : jsonType)
  const text =
    kind === 'form' && isObject(value) ? formText(value, form) : textOfBody(value, kind, contentType !== '')
  return { text, value, type }
}

function textOfBody(value: unknown, kind: BodyKind, hasType: boolean): string {
  const isWritten = typeof value === 'string' && (kind !== 'json' || !hasType || jsonIn(value) !== undefined)
  if (isWritten) return value
  const isScalar = typeof value !== 'object' || value === null
  return kind !== 'json' && isScalar ? textOf(value) : JSON.stringify(value)
}

const jsonType = 'application/json'
const formType = 'application/x-www-form-urlencoded'
const textType = 'text/plain; charset=utf-8'

/** How a body is encoded. */
export type BodyKind = 'json' | 'form' | 'text'

/** Returns how a body is encoded: as its Content-Type says, and as JSON without one. */
export function bodyKindOf(contentType: string): BodyKind {
  const [part = ''] = contentType.split(';', 1)
  const type = part.trim().toLowerCase()
  if (type === formType) return 'form'
  return type === '' || /^(?:application|text)\/(?:[\w.+-]+\+)?json$/.test(type) ? 'json' : 'text'
}

/**
 * Returns why a body is probably not what its Content-Type says, in a sentence; null if nothing is wrong.
 *
 * @param template a JSON value.
 * @param contentType as it is written; an empty text for none.
 */
export function bodyProblem(template: unknown, contentType: string): string | null {
  if (contentType.includes('{{')) return null
  if (typeof template !== 'string') {
    const isMultipart = /^\s*multipart\//i.test(contentType)
    return isMultipart ? 'The body is sent as JSON, not as a multipart form. Write the form as a text.' : null
  }
  if (bodyKindOf(contentType) !== 'json' || soleVariable(template) !== null) return null
  const written = replaceVariables(template, () => '0')
  const isMeantAsJson = contentType === '' ? /^\s*(?:\{\s*"|\[\s*["{[])/ : /^\s*[[{]/
  if (!isMeantAsJson.test(written) || wrongVariablesIn(template).length > 0 || jsonIn(template) !== undefined)
    return null
  const sentAs = contentType === '' ? 'as plain text' : 'as one JSON string'
  return `The body is not valid JSON, so it is sent ${sentAs}. Correct it, for example quotation marks and commas.`
}

function valueOfBody(template: unknown, kind: BodyKind, render: Renderer): unknown {
  if (typeof template !== 'string' || soleVariable(template) !== null) return render.given(template)
  const parsed = kind === 'json' ? jsonIn(template) : undefined
  if (parsed !== undefined) return render.given(parsed)
  return render.text(template, kind === 'form' ? encodeText : undefined)
}

/**
 * Returns the object or list that the text of a body is; undefined for any other text. Variables can be outside of
 * quotes: `{"total": {{total}}}`.
 */
export function jsonIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  const value = tryParseExact(text) ?? tryParseExact(withQuotedVariables(text))
  return isDeeperThan(value, maxDepth) ? undefined : value
}

function withQuotedVariables(text: string): string {
  let result = ''
  let from = 0
  let isInString = false
  for (const variable of variablesIn(text)) {
    const before = text.slice(from, variable.from)
    for (const [sign] of before.matchAll(/\\.|"/g)) if (sign === '"') isInString = !isInString
    const source = text.slice(variable.from, variable.to)
    result += before + (isInString ? source : JSON.stringify(source))
    from = variable.to
  }
  return result + text.slice(from)
}

/**
 * Returns why the options of a form have no effect on a body, in a sentence; null if they can have one.
 *
 * @param template undefined for a request without a body. @param contentType as it is written.
 */
export function formProblem(template: unknown, contentType: string): string | null {
  if (template === undefined) return 'There is no body whose lists are written this way. Remove `form`.'
  if (!contentType.includes('{{') && bodyKindOf(contentType) !== 'form')
    return `The body is not a form. Add the header Content-Type: ${formType}, or remove \`form\`.`
  const isWritten = isObject(template) || (typeof template === 'string' && soleVariable(template) !== null)
  return isWritten ? null : 'Only an object is written as a form. This body is sent as it is written.'
}

const isSingle = (value: unknown) => !Array.isArray(value) && !isObject(value)

/** The name of a single value in a list. A list that is joined by commas is one value, unless it has nested ones. */
const nameInList: Readonly<Record<FormOptions['lists'], (name: string, index: number) => string>> = {
  repeat: name => name,
  // A name that is written with its brackets has them once.
  brackets: name => (name.endsWith('[]') ? name : `${name}[]`),
  indexed: (name, index) => `${name}[${index}]`,
  comma: (name, index) => `${name}[${index}]`,
}

/**
 * Encodes an object as a form: `customer[name]=Maya`. A list repeats its name, as in HTML, unless `lists` says otherwise;
 * in a list of objects or lists, each has its index.
 *
 * @throws RenderedTooLarge
 */
function formText(
  fields: Readonly<Record<string, unknown>>,
  { lists }: FormOptions = { lists: 'repeat' },
): string {
  const pairs: string[] = []
  let size = 0

  function addPair(name: string, encoded: string): void {
    const pair = `${encodeText(name)}=${encoded}`
    size += pair.length
    // A deep value repeats its long name for each of its fields.
    if (size > maxRendered) throw new RenderedTooLarge()
    pairs.push(pair)
  }

  function add(name: string, value: unknown): void {
    if (Array.isArray(value)) {
      const items: readonly unknown[] = value
      if (lists === 'comma' && items.length > 0 && items.every(isSingle))
        addPair(name, items.map(part => encodeText(textOf(part))).join(','))
      else
        for (const [index, part] of items.entries())
          add(isSingle(part) ? nameInList[lists](name, index) : `${name}[${index}]`, part)
    } else if (isObject(value)) {
      for (const [key, part] of Object.entries(value)) add(`${name}[${key}]`, part)
    } else addPair(name, encodeText(textOf(value)))
  }

  for (const [name, value] of Object.entries(fields)) add(name, value)
  return pairs.join('&')
}

export type BodyEncoding = 'utf8' | 'latin1'

/** Returns the encoding that a Content-Type asks for; null if the body cannot be sent in it. */
export function encodingOf(text: string, contentType: string): BodyEncoding | null {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8'
  if (/^utf-?8$/.test(charset)) return 'utf8'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are part of ASCII
  if (!/^utf/.test(charset) && /^[\x00-\x7f]*$/.test(text)) return 'utf8'
  const isLatin1 = /^(?:iso-?8859-1|latin-?1|windows-1252)$/.test(charset)
  // The two differ in the characters from 0x80 to 0x9f.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are part of ASCII
  return isLatin1 && /^[\x00-\x7f\xa0-\xff]*$/.test(text) ? 'latin1' : null
}
