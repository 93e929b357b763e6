import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { z } from 'zod'
import type { AssistantModel } from '#shared/model/assistant-model.ts'
import { freePort } from './free-port.ts'

const ChatMessage = z.looseObject({
  role: z.string(),
  content: z.unknown(),
  tool_calls: z
    .array(z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }))
    .optional(),
  tool_call_id: z.string().optional(),
})
const ChatRequest = z.object({
  model: z.string(),
  stream: z.boolean().optional(),
  messages: z.array(ChatMessage),
  tools: z
    .array(
      z.object({
        function: z.object({ name: z.string(), description: z.string(), parameters: z.unknown() }),
      }),
    )
    .optional(),
})
export type ChatRequest = z.infer<typeof ChatRequest> & {
  readonly authorization: string | null
  /** Resolves when the connection of this request has closed. */
  readonly closed: Promise<unknown>
}

/** One thing that the model does in an answer, in order. */
export type Act =
  | { readonly text: string }
  | { readonly reasoning: string }
  /** Arguments as JSON text, which may be wrong on purpose. */
  | { readonly call: string; readonly arguments: string }
  /**
   * Waits for `release()`, or for the client to go away. The text before it ends with a space or a full stop: a last letter
   * that may be the first one of a secret is shown only when more has come.
   */
  | { readonly hold: true }
  /** Destroys the connection. */
  | { readonly cut: true }
  /** Ends the answer with this reason; null for a stream that ends without one. */
  | { readonly finish: string | null }
  /** Sends these bytes as they are. */
  | { readonly raw: string }

export type Turn = readonly Act[] | { readonly status: number; readonly body: string }

export const say = (text: string): Turn => [{ text }]
/** @param tool the exact name. */
export const call = (tool: string, given: object): Act => ({ call: tool, arguments: JSON.stringify(given) })
/** As Ollama refuses tools for a model that has not learned to call them. */
export const withoutTools: Turn = {
  status: 400,
  body: JSON.stringify({
    error: { message: 'registry.ollama.ai/library/gemma2:9b does not support tools', type: 'api_error' },
  }),
}

export type ScriptedModel = {
  /** As the settings take it. */
  readonly model: AssistantModel
  /** Without a path; also answers as Ollama does. */
  readonly origin: string
  /** Requests for an answer, oldest first. */
  readonly requests: ChatRequest[]
  /** Adds to what the model does, one turn for each request. Without a turn it says “Nothing to say.”. */
  script(...turns: (Turn | ((request: ChatRequest) => Turn))[]): void
  /** Lets the oldest held answer go on; the next one at once if none is held. */
  release(): void
  close(): Promise<void>
}

/** A server that speaks OpenAI's Chat Completions and does what the test says. */
export async function startScriptedModel(options: { port?: number } = {}): Promise<ScriptedModel> {
  const turns: (Turn | ((request: ChatRequest) => Turn))[] = []
  const requests: ChatRequest[] = []
  const held: (() => void)[] = []
  let released = 0

  const server = createServer((request, response) => {
    serve(request, response).catch(error => {
      response.statusCode = 500
      response.end(String(error))
    })
  })

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request)
    const { pathname } = new URL(request.url ?? '/', 'http://model')
    if (pathname === '/v1/models') return json(response, { data: [{ id: 'qwen3:14b' }, { id: 'gemma2:9b' }] })
    if (pathname === '/api/tags')
      return json(response, {
        models: [
          { name: 'qwen3:14b', size: 9_300_000_000 },
          { name: 'gemma2:9b', size: 5_400_000_000 },
        ],
      })
    if (pathname === '/api/show') {
      const callsTools = body.includes('qwen3')
      return json(response, {
        capabilities: callsTools ? ['completion', 'tools'] : ['completion'],
        model_info: { 'qwen3.context_length': 40_960 },
      })
    }
    if (pathname !== '/v1/chat/completions') {
      response.statusCode = 404
      return json(response, { error: { message: 'not found' } })
    }
    const asked: ChatRequest = {
      ...ChatRequest.parse(JSON.parse(body)),
      authorization: request.headers.authorization ?? null,
      closed: new Promise(resolve => response.once('close', resolve)),
    }
    requests.push(asked)
    const next = turns.shift() ?? say('Nothing to say.')
    await play(typeof next === 'function' ? next(asked) : next, response)
  }

  async function play(turn: Turn, response: ServerResponse): Promise<void> {
    if ('status' in turn) {
      response.statusCode = turn.status
      response.setHeader('content-type', 'application/json')
      response.end(turn.body)
      return
    }
    response.setHeader('content-type', 'text/event-stream')
    response.flushHeaders()
    const send = (fields: object) => response.write(`data: ${JSON.stringify({ ...chunk, ...fields })}\n\n`)
    const delta = (part: object) => send({ choices: [{ index: 0, delta: part, finish_reason: null }] })
    let calls = 0
    let reason: string | null | undefined
    for (const act of turn) {
      if (response.destroyed) return
      if ('text' in act) {
        // In pieces, as models write.
        for (const piece of act.text.match(/.{1,12}/gsu) ?? []) delta({ role: 'assistant', content: piece })
      } else if ('reasoning' in act) delta({ role: 'assistant', reasoning_content: act.reasoning })
      else if ('raw' in act) response.write(act.raw)
      else if ('finish' in act) reason = act.finish
      else if ('hold' in act) await hold(response)
      else if ('cut' in act) {
        // After what was written has left.
        await new Promise(resolve => response.write(': cut\n\n', resolve))
        response.destroy()
        return
      } else {
        const id = `model-call-${requests.length}-${calls}`
        const half = Math.floor(act.arguments.length / 2)
        const start = { index: calls, id, type: 'function' }
        delta({
          tool_calls: [{ ...start, function: { name: act.call, arguments: act.arguments.slice(0, half) } }],
        })
        delta({ tool_calls: [{ index: calls, function: { arguments: act.arguments.slice(half) } }] })
        calls++
      }
    }
    reason = reason === undefined ? (calls > 0 ? 'tool_calls' : 'stop') : reason
    if (reason !== null) send({ choices: [{ index: 0, delta: {}, finish_reason: reason }] })
    send({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } })
    response.end('data: [DONE]\n\n')
  }

  function hold(response: ServerResponse): Promise<void> {
    if (released > 0) {
      released--
      return Promise.resolve()
    }
    return new Promise(resolve => {
      held.push(resolve)
      response.once('close', resolve)
    })
  }

  server.listen(options.port ?? (await freePort()), '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const origin = `http://127.0.0.1:${port}`
  return {
    model: {
      provider: 'openai_compatible',
      baseUrl: `${origin}/v1`,
      model: 'qwen3:14b',
      keyVariable: null,
      contextTokens: 32_768,
    },
    origin,
    requests,
    script: (...more) => turns.push(...more),
    release() {
      const next = held.shift()
      if (next === undefined) released++
      else next()
    },
    async close() {
      server.closeAllConnections()
      server.close()
      if (server.listening) await once(server, 'close')
    },
  }
}

const chunk = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'qwen3:14b' }

function json(response: ServerResponse, body: object): void {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(body))
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of request.setEncoding('utf8')) text += piece
  return text
}
