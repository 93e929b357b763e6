import type { AnySchema, ContractProcedureDef, ErrorMap, Meta, Route } from '@orpc/contract'
import { type ImplementerInternalWithMiddlewares, implement, ORPCError, ValidationError } from '@orpc/server'
import { z } from 'zod'
import type { Logger } from '#main/lib/logger.ts'
import { type Contract, contract } from '#shared/contract/index.ts'
import { type ErrorData, ServiceError } from '#shared/errors.ts'
import { issuesOf } from '#shared/model/issue.ts'
import { unknownFields } from '#shared/unknown-fields.ts'
import type { CallContext } from './context.ts'
import { JsonAnswer, parsedAnswer } from './json-answer.ts'

const root = implement(contract).$context<CallContext>()

/**
 * Returns the base that implements the contract. It converts every error of a procedure to one of the catalogue: a
 * ServiceError keeps its code, invalid input lists its fields, and anything else is logged and answered with
 * `internal_error`.
 */
export function createBase(logger: Logger): Base {
  return root.use(({ next, path, procedure, context: { sendJson = parsedAnswer } }, input, output) =>
    withKnownErrors(logger, path, () =>
      withPlainPaths(procedure['~orpc'].route, async () => {
        await refuseUnknownFields(procedure['~orpc'], input)
        try {
          return await next()
        } catch (error) {
          if (error instanceof JsonAnswer) return output(sendJson(error.bytes))
          throw error
        }
      }),
    ),
  )
}
/** Named because the compiler cannot serialize the inferred type of a contract this large. */
export type Base = ImplementerInternalWithMiddlewares<Contract, CallContext, CallContext>

type Described = Pick<
  ContractProcedureDef<AnySchema, AnySchema, ErrorMap, Meta>,
  'inputSchema' | 'outputSchema' | 'route'
>

/** Refuses unknown fields instead of ignoring them, together with all other problems. */
async function refuseUnknownFields(described: Described, input: unknown): Promise<void> {
  const { inputSchema: schema, outputSchema, route } = described
  const isPatch = route.method === 'PATCH' && outputSchema instanceof z.ZodObject
  // A procedure need not declare each part of its input.
  const parts = route.inputStructure === 'detailed' ? ['params', 'query', 'headers', 'body'] : []
  const unknown = unknownFields(schema, input, isPatch ? Object.keys(outputSchema.shape) : []).filter(
    ({ path }) => !parts.includes(path),
  )
  if (unknown.length === 0) return
  const result = await schema?.['~standard'].validate(input)
  const issues = [...unknown, ...issuesOf({ issues: result?.issues ?? [] })]
  throw new ServiceError('invalid_input', { data: { issues } })
}

/** Runs a procedure. In the issues of an input of several parts, leaves out the part: `body.voice` becomes `voice`. */
async function withPlainPaths<Result>(
  { inputStructure }: Route,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    const known = inputStructure === 'detailed' ? toKnownError(error) : null
    if (known?.code !== 'invalid_input') throw error
    const issues = known.data?.issues.map(issue => ({
      ...issue,
      path: issue.path.replace(/^(?:body|query|params)(?:\.|$)/, ''),
    }))
    const { message: detail } = known
    throw new ServiceError('invalid_input', { detail, data: { issues: issues ?? [] } })
  }
}

/** Runs a procedure, and converts its errors to those of the catalogue. */
export async function withKnownErrors<Result>(
  logger: Logger,
  path: readonly string[],
  run: () => Result,
): Promise<Awaited<Result>> {
  try {
    return await run()
  } catch (error) {
    const known = toKnownError(error)
    if (known !== null) throw known
    logger.error({ err: error, procedure: path.join('.') }, 'A procedure failed')
    throw toRpcError(new ServiceError('internal_error'))
  }
}

function toKnownError(error: unknown): ORPCError<string, ErrorData | undefined> | null {
  if (error instanceof ServiceError) return toRpcError(error)
  if (error instanceof ORPCError && error.cause instanceof ValidationError && error.code === 'BAD_REQUEST')
    return toRpcError(new ServiceError('invalid_input', { data: { issues: issuesOf(error.cause) } }))
  return null
}

/** Converts an error of the catalogue for oRPC. */
export function toRpcError(error: ServiceError): ORPCError<string, ErrorData | undefined> {
  const { code, status, message, data } = error
  return new ORPCError(code, { defined: true, status, message, data })
}
