import type { Parameter } from '#shared/model/parameter.ts'

/**
 * The JSON Schema of a tool's arguments (decisions: Assistant). It accepts what the call accepts and nothing
 * else; what an object holds is up to the assistant.
 */
export function inputSchemaOf(parameters: readonly Parameter[]): Record<string, unknown> {
  return {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map(({ name, type, description }) => [name, { type, description }]),
    ),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  }
}
