import { z } from 'zod'
import {
  ActionId,
  CallId,
  ClientTokenId,
  ConnectionId,
  ConversationId,
  Moment,
  RunId,
} from './identifiers.ts'
import { AnyKey } from './json-value.ts'
import { Method } from './method.ts'

/** The reason why a call has no usable response. `message` is for people. */
export const CallError = z.object({
  code: z.string(),
  message: z.string(),
  data: z.unknown().optional(),
})
export type CallError = z.infer<typeof CallError>

/** The measured milliseconds of each phase. A reused connection has zero for the first three. */
export const CallTimings = z.object({
  totalMs: z.number(),
  dnsMs: z.number(),
  connectMs: z.number(),
  tlsMs: z.number(),
  firstByteMs: z.number().describe('From the sent request to the first byte of the response.'),
  downloadMs: z.number(),
})
export type CallTimings = z.infer<typeof CallTimings>

const HeaderMap = z.record(z.string(), z.string())

/** The request as sent, with masked values of environment variables. */
export const SentRequest = z.object({
  method: z.string(),
  url: z.string(),
  headers: HeaderMap,
  body: z.string().describe('Empty for a GET.'),
})
export type SentRequest = z.infer<typeof SentRequest>

export const ReceivedResponse = z.object({
  status: z.int(),
  headers: HeaderMap.describe('Values of a repeated header are joined with ", ".'),
  repeatedHeaders: z
    .record(z.string(), z.array(z.string()))
    .optional()
    .describe('The values of each repeated header, one by one. Present only if there is one.'),
  body: z.string().describe('Text, or base64 for binary content.'),
  bytes: z.int().describe('Size of the decoded body.'),
  note: z.string().optional().describe('Present only if an unknown Content-Encoding was not decoded.'),
})
export type ReceivedResponse = z.infer<typeof ReceivedResponse>

/** Returns the value of each header, by its name in lower case; a list for a repeated one. */
export function headerValues({
  headers,
  repeatedHeaders,
}: Pick<ReceivedResponse, 'headers' | 'repeatedHeaders'>): Record<string, string | string[]> {
  return { ...headers, ...repeatedHeaders }
}

/** The outcome of one call: of an action, or of a step, a form or a webhook. */
export const CallResult = z.object({
  ok: z.boolean().describe('Whether the status was 2xx.'),
  request: SentRequest.nullable().describe('Null if no request could be made.'),
  response: ReceivedResponse.nullable(),
  result: z.unknown().describe('The JSON, or { result: text } for other content; null without a response.'),
  mapped: z.record(z.string(), z.unknown()).nullable().describe('Null without a responseMapping.'),
  timings: CallTimings,
  error: CallError.nullable().describe('Null for a response with any status.'),
  resent: z
    .literal(true)
    .optional()
    .describe('Present if a reused connection was closed without an answer, and the request was sent again.'),
})
export type CallResult = z.infer<typeof CallResult>

/** The origin of a call. */
export const CallSource = z.enum(['test', 'cli', 'workflow', 'mcp', 'conversation', 'check', 'case'])
export type CallSource = z.infer<typeof CallSource>

/** Returns whether somebody only tries an action: the status of a connection leaves such calls out. */
export function isTest(source: CallSource): boolean {
  return source === 'test' || source === 'case'
}

/** The origins that are assistants. */
export const AssistantSource = CallSource.extract(['mcp', 'conversation'])

/** The step of a workflow's run that made a call. */
export const CallingStep = z.object({ runId: RunId, path: z.string() })
export type CallingStep = z.infer<typeof CallingStep>

/** The client of an assistant that made a call. */
export const CallingClient = z.object({
  name: z.string().nullable().describe('As the client calls itself; null if it gave no name.'),
  tokenId: ClientTokenId.nullable().describe('Null for the admin token.'),
  tokenName: z.string().nullable().describe('The token’s name at that time.'),
  tool: z.string().describe('The tool’s name as this client saw it.'),
})
export type CallingClient = z.infer<typeof CallingClient>

/** The arguments of a call, by parameter name. */
export const CallArguments = z.record(AnyKey, z.unknown())
export type CallArguments = z.infer<typeof CallArguments>

/** An argument that came as a text and was taken as another value. */
export const ConvertedArgument = z.object({
  name: z.string(),
  as: z
    .enum(['number', 'boolean', 'list', 'object'])
    .nullable()
    .describe('Null for an empty text, which was left out.'),
})
export type ConvertedArgument = z.infer<typeof ConvertedArgument>

/** Beside `arguments` in a response. */
export const ExactArguments = z
  .string()
  .optional()
  .describe('`arguments` as JSON text. Present only if a number in them is not exact as a double.')

/** A finished call, in short: what lists show of it. */
export const CallFacts = z.object({
  callId: CallId,
  at: Moment.describe('When it ended.'),
  connectionId: ConnectionId.nullable().describe(
    'Null for a request that belongs to none, such as that of a webhook.',
  ),
  actionId: ActionId.nullable().describe(
    'Null for a request that belongs to none, such as that of an `http` step, a webhook or a form.',
  ),
  toolName: z.string(),
  method: Method,
  status: z.int().nullable().describe('Null without a response.'),
  ok: CallResult.shape.ok,
  code: z
    .string()
    .nullable()
    .describe('Why there was no usable response; null for a response with any status.'),
  totalMs: z.number(),
  source: CallSource,
  step: CallingStep.nullable().describe('Null for a call that no workflow made.'),
  client: CallingClient.nullable().describe('Null for a call that no MCP client made.'),
  conversationId: ConversationId.nullable().describe('Null for a call that no conversation made.'),
})
export type CallFacts = z.infer<typeof CallFacts>

/** The request and the response of a call, without secrets. */
export const CallContents = CallResult.extend({
  arguments: CallArguments,
  argumentsText: ExactArguments,
  converted: z
    .array(ConvertedArgument)
    .optional()
    .describe('The arguments that came as texts and were taken as other values; absent for none.'),
  environmentVariables: z
    .array(z.string())
    .describe('Names of the environment variables that the request uses.'),
  shortened: z.boolean().describe('Whether arguments, request or response were cut to 64 KiB here.'),
  private: z
    .literal(true)
    .optional()
    .describe('Present for a call of a private step: only method, host, status and times are kept.'),
})
export type CallContents = z.infer<typeof CallContents>

/** The record of a finished call. All others are parts of it. */
export const CallRecord = CallFacts.extend(CallContents.shape)
export type CallRecord = z.infer<typeof CallRecord>

/** The outcome of a test of an action, as the test procedure returns it. */
export const TestResult = CallResult.extend({
  callId: CallId.describe('Identifies the call in the list of tests.'),
  connectionEnabled: z
    .literal(false)
    .optional()
    .describe(
      'Present only if the connection is off: the test ran, but the assistant does not have this tool.',
    ),
})
export type TestResult = z.infer<typeof TestResult>

/** One of the last 50 calls of an action. */
export const TestRecord = CallRecord.pick({
  callId: true,
  at: true,
  arguments: true,
  argumentsText: true,
  environmentVariables: true,
  shortened: true,
}).extend({ result: CallResult })
export type TestRecord = z.infer<typeof TestRecord>

/** A summary of the newest test of an action. */
export const LastTest = CallFacts.pick({ at: true, ok: true, status: true, code: true }).extend({
  actionId: ActionId,
})
export type LastTest = z.infer<typeof LastTest>

/** Returns the record of a test. */
export function testOf(call: CallRecord): TestRecord {
  const { callId, at, arguments: given, environmentVariables, shortened } = call
  return { callId, at, arguments: given, environmentVariables, shortened, result: resultOf(call) }
}

/** Returns the outcome of a call. */
function resultOf(call: CallResult): CallResult {
  const { ok, request, response, result, mapped, timings, error, resent } = call
  return { ok, request, response, result, mapped, timings, error, ...(resent && { resent }) }
}
