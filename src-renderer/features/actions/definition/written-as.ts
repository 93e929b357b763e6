import { type Parameter, type ParameterStyle, wireNameOf } from '#shared/model/parameter.ts'
import { encodedFields, fieldsOf, headerText, pathText, places } from '#shared/request/places.ts'
import { styles, Unwritable } from '#shared/request/styles.ts'
import { bodyFormOf, contentTypeOf, placeOf, type SendingAction } from '#shared/request/write-request.ts'
import { nodeOf } from '../../../entities/action/schema-node.ts'

type TextPlace = keyof typeof places

/** Returns the place where a parameter's value is written as text; null for JSON. */
export function textPlaceOf(parameter: Parameter, action: SendingAction): TextPlace | null {
  const place = placeOf(parameter, action)
  if (place === 'path' || place === 'query' || place === 'header') return place
  const isForm = ['urlencoded', 'multipart'].includes(bodyFormOf(contentTypeOf(action)))
  return place === 'body' && isForm ? 'form' : null
}

/** Returns whether a value is a list or an object; null for one that is a single text. */
function shapeOf({ isList, type }: Parameter): 'list' | 'object' | null {
  if (isList === true) return 'list'
  return type === 'object' ? 'object' : null
}

/** Returns a small value of the parameter's kind. */
function sampleOf({ type, isList, schema }: Parameter): unknown {
  const kind = schema === undefined ? type : nodeOf(schema, schema).kind
  if (isList !== true) return { b: 1, c: 2 }
  return type === 'object' && kind !== 'union' ? [{ b: 1 }] : [1, 2]
}

type WrittenAs = { readonly style: ParameterStyle; readonly example: string; readonly isDefault: boolean }

/** Returns the ways to write a parameter's value where it is sent, each with an example; none for a single text or JSON. */
export function waysToWrite(parameter: Parameter, action: SendingAction): readonly WrittenAs[] {
  const where = textPlaceOf(parameter, action)
  const shape = shapeOf(parameter)
  if (where === null || shape === null) return []
  const isJsonPart =
    shape === 'object' && where === 'form' && bodyFormOf(contentTypeOf(action)) === 'multipart'
  const byDefault = isJsonPart ? 'json' : places[where][shape]
  return places[where].takes.flatMap(style => {
    const example =
      styles[style][shape] === null ? null : writtenText({ ...parameter, style }, where, sampleOf(parameter))
    return example === null ? [] : [{ style, example, isDefault: style === byDefault }]
  })
}

/** Returns a value as it is sent, without percent-encoding; null if this style cannot write it. */
function writtenText(parameter: Parameter, where: TextPlace, value: unknown): string | null {
  const short = { ...parameter, wireName: 'a' }
  try {
    if (where === 'path') return readable(pathText(short, value))
    if (where === 'header') return headerText(short, value)
    return readable(encodedFields(fieldsOf(short, value, where)))
  } catch (error) {
    if (error instanceof Unwritable) return null
    throw error
  }
}

const readable = (encoded: string) => decodeURIComponent(encoded).replaceAll(' ', '%20')

const placeWords = {
  path: 'in path',
  query: 'in query',
  header: 'in header',
  body: 'in body',
  entireBody: 'whole body',
} as const

const elements = { string: 'text', number: 'numbers', boolean: 'true or false', object: 'objects' } as const

/** Says where and how a parameter is sent, in pieces: `in body`, `list of text`, `as a[]=1`. */
export function sendingWords(
  parameter: Parameter,
  action: SendingAction,
): readonly { readonly text: string; readonly code?: string }[] {
  const { isList, type, style, value, schema } = parameter
  const kind = schema === undefined ? 'any' : nodeOf(schema, schema).kind
  const element = kind === 'union' ? 'several shapes' : elements[type]
  const way =
    style === undefined ? undefined : waysToWrite(parameter, action).find(one => one.style === style)
  const wireName = wireNameOf(parameter)
  return [
    { text: placeWords[placeOf(parameter, action)] },
    ...(wireName === parameter.name ? [] : [{ text: 'sent as ', code: wireName }]),
    ...(isList === true ? [{ text: `list of ${element}` }] : []),
    ...(way === undefined ? [] : [{ text: 'as ', code: shortExample(way) }]),
    ...(value === undefined
      ? []
      : [{ text: 'always ', code: typeof value === 'string' ? value : JSON.stringify(value) }]),
  ]
}

/** Returns an example up to its second field, which says nothing more: `a[]=1`. Two are what `a=1&a=2` is about. */
function shortExample({ style, example }: WrittenAs): string {
  return style === 'repeat' ? example : (example.split('&')[0] ?? example)
}
