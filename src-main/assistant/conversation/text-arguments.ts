import { isObject, tryParseExact } from '#shared/json/exact-json.ts'

/** Matches a line of a stream that may have arguments of a call as an object, or an error that is null. */
const unusual = /^data:.*(?:"arguments"\s*:\s*\{|"error"\s*:\s*null)/

/**
 * Returns the body of a stream of server-sent events in which the arguments of calls are JSON text, as OpenAI sends them.
 * Some servers send an object, or with each event an error that is null: the SDK refuses both. Everything else passes
 * unchanged, and numbers keep their digits.
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
