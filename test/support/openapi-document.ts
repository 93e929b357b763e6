import { z } from 'zod'

const Schema = z.record(z.string(), z.unknown())
const Content = z.record(z.string(), z.strictObject({ schema: Schema }))
const Parameter = z.looseObject({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  required: z.boolean().optional(),
  schema: Schema,
})
const Response = z.strictObject({ description: z.string().min(2), content: Content.optional() })
const refTo = (kind: string) => z.strictObject({ $ref: z.string().startsWith(`#/components/${kind}/`) })
const Operation = z.strictObject({
  operationId: z.string(),
  summary: z.string().min(1),
  tags: z.array(z.string()).min(1),
  parameters: z.array(z.union([Parameter, refTo('parameters')])).optional(),
  requestBody: z.strictObject({ required: z.boolean().optional(), content: Content }).optional(),
  responses: z.record(z.string().regex(/^[1-5]\d\d$/), z.union([Response, refTo('responses')])),
})
export type Operation = Omit<z.infer<typeof Operation>, 'parameters'> & {
  readonly parameters: readonly z.infer<typeof Parameter>[]
}

const PathItem = z.partialRecord(z.enum(['get', 'post', 'put', 'patch', 'delete']), Operation)

/** As much of OpenAPI 3.1 as the document uses; anything else in it is a mistake. */
export const OpenApiDocument = z.strictObject({
  openapi: z.string().regex(/^3\.1\.\d+$/),
  info: z.strictObject({ title: z.string(), version: z.string(), description: z.string() }),
  servers: z.array(z.strictObject({ url: z.string() })),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  components: z.strictObject({
    securitySchemes: z.record(z.string(), z.looseObject({ type: z.string() })),
    schemas: z.record(z.string(), Schema),
    parameters: z.record(z.string(), Parameter),
    responses: z.record(z.string(), Response),
  }),
  paths: z.record(z.string().startsWith('/'), PathItem),
})
export type OpenApiDocument = z.infer<typeof OpenApiDocument>

/** `GET /path` and its operation, for each, with the parameters that the document shares put in their places. */
export function operationsOf({ components, paths }: OpenApiDocument): [string, Operation][] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, Operation] => {
      const parameters = (operation.parameters ?? []).map(each => resolve(components.parameters, each))
      return [`${method.toUpperCase()} ${path}`, { ...operation, parameters }]
    }),
  )
}

/** An operation's responses by status, those that the document shares put in their places. */
export function responsesOf({ components }: OpenApiDocument, { responses }: Operation) {
  return Object.entries(responses).map(([status, response]): [number, z.infer<typeof Response>] => [
    Number(status),
    resolve(components.responses, response),
  ])
}

function resolve<T extends object>(shared: Record<string, T>, value: T | { $ref: string }): T {
  const found = '$ref' in value ? shared[String(value.$ref).replace(/.*\//, '')] : value
  if (found === undefined) throw new Error(`${JSON.stringify(value)} leads nowhere.`)
  return found
}

/** The JSON Schema of an operation's answer, made into one that checks. */
export function answerSchema(document: OpenApiDocument, operation: Operation, status: number) {
  const response = new Map(responsesOf(document, operation)).get(status)
  const schema = response?.content?.['application/json']?.schema
  if (schema === undefined) throw new Error(`${operation.operationId} does not document ${status}.`)
  const text = JSON.stringify({ ...schema, $defs: document.components.schemas })
  return z.fromJSONSchema(JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/')))
}

/** All values of `const` and `enum` for a property of this name, anywhere in a schema. */
export function constantsOf(schema: unknown, property: string): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([name, value]) => {
    const { success, data } = z
      .object({ const: z.string().optional(), enum: z.array(z.string()).optional() })
      .safeParse(value)
    const here =
      name === property && success
        ? [...(data.enum ?? []), ...(data.const === undefined ? [] : [data.const])]
        : []
    return [...here, ...constantsOf(value, property)]
  })
}
