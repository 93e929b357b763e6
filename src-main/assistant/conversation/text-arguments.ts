import { isObject, tryParseExact } from '#shared/json/exact-json.ts'

/** Matches a line of a stream that may have arguments of a call as an object. */
const asObject = /^data:.*"arguments"\s*:\s*\{/

/**
 * Returns the body of a stream of server-sent events in which the arguments of calls are JSON text, as OpenAI sends them.
 * Some servers send an object, which the SDK refuses. Everything else passes unchanged, and numbers keep their digits.
 */
export function withTextArguments(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let rest = ''
  return body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(
      new TransformStream<string, string>({
        transform(chunk, controller) {
          const lines = chunk.split('\n')
          const last = lines.pop() ?? ''
          for (const line of lines) {
            controller.enqueue(`${rewritten(rest + line)}\n`)
            rest = ''
          }
          rest += last
        },
        flush(controller) {
          if (rest !== '') controller.enqueue(rewritten(rest))
        },
      }),
    )
    .pipeThrough(new TextEncoderStream())
}

function rewritten(line: string): string {
  if (!asObject.test(line)) return line
  const event = tryParseExact(line.slice('data:'.length))
  if (!isObject(event) || !Array.isArray(event.choices)) return line
  for (const choice of event.choices) {
    const delta = isObject(choice) ? choice.delta : null
    const calls = isObject(delta) ? delta.tool_calls : null
    if (!Array.isArray(calls)) continue
    for (const call of calls) {
      const made = isObject(call) ? call.function : null
      if (isObject(made) && isObject(made.arguments)) made.arguments = JSON.stringify(made.arguments)
    }
  }
  return `data: ${JSON.stringify(event)}`
}
