import { isObject, tryParseExact } from '#shared/json/exact-json.ts'
import { requireReadable } from './event-stream.ts'

/** Matches a line of a stream that may have arguments of a call as an object, or an error that is null. */
const unusual = /^data:.*(?:"arguments"\s*:\s*\{|"error"\s*:\s*null)/

/**
 * Returns the body of a stream of server-sent events in which the arguments of calls are JSON text, as OpenAI sends them.
 * Some servers send an object, or with each event an error that is null: the SDK refuses both. Everything else passes
 * unchanged, with LF line ends, and numbers keep their digits. Fails with a ModelError at an event that takes too long to read.
 */
export function withTextArguments(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let rest = ''
  let isAfterReturn = false
  return body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(
      new TransformStream<string, string>({
        transform(chunk, controller) {
          // The SDK takes quadratic time for many carriage returns. A CRLF may be in two pieces.
          const text = isAfterReturn && chunk.startsWith('\n') ? chunk.slice(1) : chunk
          isAfterReturn = chunk.endsWith('\r')
          const lines = text.split(/\r\n?|\n/)
          const last = lines.pop() ?? ''
          let whole = ''
          for (const line of lines) {
            whole += `${rewritten(rest + line)}\n`
            rest = ''
          }
          rest += last
          // Not line by line: each piece takes microseconds, and a line may be empty.
          if (whole !== '') controller.enqueue(whole)
        },
        flush(controller) {
          if (rest !== '') controller.enqueue(rewritten(rest))
        },
      }),
    )
    .pipeThrough(new TextEncoderStream())
}

function rewritten(line: string): string {
  requireReadable(line)
  if (!unusual.test(line)) return line
  const event = tryParseExact(line.slice('data:'.length))
  if (!isObject(event) || !Array.isArray(event.choices)) return line
  const { error, ...rest } = event
  for (const choice of event.choices) {
    const delta = isObject(choice) ? choice.delta : null
    const calls = isObject(delta) ? delta.tool_calls : null
    if (!Array.isArray(calls)) continue
    for (const call of calls) {
      const made = isObject(call) ? call.function : null
      if (isObject(made) && isObject(made.arguments)) made.arguments = JSON.stringify(made.arguments)
    }
  }
  return `data: ${JSON.stringify(error === null ? rest : event)}`
}
