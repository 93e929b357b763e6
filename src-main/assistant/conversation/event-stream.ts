import { maxDepth } from '#shared/json/depth.ts'
import { isObject, tryParseExact } from '#shared/json/exact-json.ts'
import { isBeyond } from '#shared/json/json-depth.ts'
import { errorOfStatus, ModelError } from './model-error.ts'

/** Bounds of the JSON of an event, or of a whole answer: the SDK takes about 3 µs for each value. */
const bounds = { levels: maxDepth, values: 20_000 } as const

/** @throws ModelError for JSON that takes too long to read. */
export function requireReadable(json: string): void {
  if (isBeyond(json, bounds)) throw new ModelError('model_output_too_large')
}

/**
 * Returns the body of a 2xx response as a stream of events. A server that ignores that a stream is wanted sends the whole
 * answer as JSON, which becomes one event. The first character tells, because not every server sets the Content-Type.
 *
 * @throws ModelError for an error or a web page instead of an answer, and what the body throws.
 */
export async function eventStreamOf(
  body: ReadableStream<Uint8Array>,
  host: string,
): Promise<ReadableStream<Uint8Array>> {
  const pieces = body[Symbol.asyncIterator]()
  let begin: Uint8Array | null = null
  let first = ''
  // Without white space before the answer, which means nothing.
  while (first === '') {
    const { done, value } = await pieces.next()
    if (done) break
    begin = value
    first = Buffer.from(value).toString('utf8').trim().slice(0, 1)
  }
  if (first === '<')
    throw new ModelError(
      'model_invalid_response',
      `${host} answered with a web page. Correct the base URL: it usually ends in /v1.`,
    )
  async function* all() {
    if (begin !== null) yield begin
    yield* { [Symbol.asyncIterator]: () => pieces }
  }
  if (first !== '{' && first !== '[') return ReadableStream.from(all())
  const whole: Uint8Array[] = []
  for await (const piece of all()) whole.push(piece)
  const event = eventOf(Buffer.concat(whole).toString('utf8'), host)
  return ReadableStream.from([Buffer.from(`data: ${JSON.stringify(event)}\n\ndata: [DONE]\n\n`)])
}

/** Returns a whole answer as the event of a stream. @throws ModelError */
function eventOf(text: string, host: string): object {
  requireReadable(text)
  const parsed = tryParseExact(text)
  const answer = Array.isArray(parsed) ? parsed[0] : parsed
  if (isObject(answer) && (answer.error ?? null) !== null)
    throw errorOfStatus(null, JSON.stringify(answer), host)
  if (!isObject(answer) || !Array.isArray(answer.choices))
    throw new ModelError(
      'model_invalid_response',
      `The response of ${host} is not that of an OpenAI-compatible server.`,
    )
  const choices = answer.choices.filter(isObject).map(({ message, finish_reason, ...choice }) => ({
    ...choice,
    delta: isObject(message) ? deltaOf(message) : {},
    finish_reason: finish_reason ?? 'stop',
  }))
  return { id: answer.id, usage: answer.usage, choices }
}

function deltaOf({ tool_calls: calls, ...message }: Readonly<Record<string, unknown>>) {
  if (!Array.isArray(calls)) return message
  return { ...message, tool_calls: calls.filter(isObject).map((call, index) => ({ index, ...call })) }
}
