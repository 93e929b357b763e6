/** The values that a keyword of JSON Schema takes. `inPlace`: its schemas judge the same value as the schema around them. */
export type Keyword =
  | { readonly takes: 'schema' | 'schemas' | 'schemasByName'; readonly inPlace?: true }
  | {
      readonly takes:
        | 'number'
        | 'count'
        | 'text'
        | 'texts'
        | 'flag'
        | 'any'
        | 'list'
        | 'type'
        | 'pattern'
        | 'ref'
    }
  | { readonly takes: 'factor' | 'textsByName' }
  /** It would make references mean something else. */
  | { readonly takes: 'nothing' }

const schema = { takes: 'schema' } as const
const here = { takes: 'schema', inPlace: true } as const
const allHere = { takes: 'schemas', inPlace: true } as const
const byName = { takes: 'schemasByName' } as const
const number = { takes: 'number' } as const
const count = { takes: 'count' } as const
const text = { takes: 'text' } as const
const flag = { takes: 'flag' } as const
const nothing = { takes: 'nothing' } as const

const keywords: Readonly<Record<string, Keyword>> = {
  $ref: { takes: 'ref' },
  $defs: byName,
  definitions: byName,
  $id: nothing,
  $anchor: nothing,
  $dynamicAnchor: nothing,
  $dynamicRef: nothing,
  $recursiveRef: nothing,
  allOf: allHere,
  anyOf: allHere,
  oneOf: allHere,
  not: here,
  if: here,
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: here,
  else: here,
  dependentSchemas: { takes: 'schemasByName', inPlace: true },
  items: schema,
  prefixItems: { takes: 'schemas' },
  contains: schema,
  properties: byName,
  patternProperties: byName,
  additionalProperties: schema,
  propertyNames: schema,
  unevaluatedItems: schema,
  unevaluatedProperties: schema,
  contentSchema: schema,
  type: { takes: 'type' },
  enum: { takes: 'list' },
  const: { takes: 'any' },
  maximum: number,
  exclusiveMaximum: number,
  minimum: number,
  exclusiveMinimum: number,
  multipleOf: { takes: 'factor' },
  maxLength: count,
  minLength: count,
  maxItems: count,
  minItems: count,
  maxContains: count,
  minContains: count,
  maxProperties: count,
  minProperties: count,
  pattern: { takes: 'pattern' },
  uniqueItems: flag,
  required: { takes: 'texts' },
  dependentRequired: { takes: 'textsByName' },
  format: text,
  contentEncoding: text,
  contentMediaType: text,
  title: text,
  description: text,
}

/** Returns what a keyword takes; undefined for one that only describes, or that nobody knows. */
export function keywordNamed(name: string): Keyword | undefined {
  return Object.hasOwn(keywords, name) ? keywords[name] : undefined
}

/** The types of values in JSON Schema. */
export const schemaTypes = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const
