import { z } from 'zod'
import type { Environment } from '#main/connections/environment.ts'
import { secretTexts, textMasker } from '#main/outbound/mask-text.ts'
import type {
  AssistantModel,
  FoundModel,
  FoundModels,
  ModelProvider,
  ModelServer,
} from '#shared/model/assistant-model.ts'
import { ModelError } from './model-error.ts'
import type { ModelHttp } from './model-http.ts'
import { answerError } from './transcript.ts'

/** Where model servers of this computer are looked for. */
export type LocalServers = Readonly<Record<'ollama' | 'lm_studio', string>>
export const localServers: LocalServers = {
  ollama: 'http://127.0.0.1:11434',
  lm_studio: 'http://127.0.0.1:1234',
}

/** The names of the servers. */
export const serverNames: Readonly<Record<ModelProvider, string>> = {
  ollama: 'Ollama',
  lm_studio: 'LM Studio',
  openai_compatible: 'OpenAI-compatible server',
}

/** How long a server of this computer may take to list its models, and any other. */
const localTimeoutMs = 3000
const listTimeoutMs = 15_000
/** A server may have to load the model first. */
const answerTimeoutMs = 120_000
/** Maximum number of models of a server that are shown. */
const mostModels = 200
/** Maximum number of models of Ollama whose details are asked for. */
const mostDetails = 50

/** Returns the model servers of this computer, in a fixed order. @param now ISO 8601. */
export async function findModels(http: ModelHttp, servers: LocalServers, now: string): Promise<FoundModels> {
  const providers = await Promise.all([
    lookAt('ollama', `${servers.ollama}/v1`, () => modelsOfOllama(http, servers.ollama)),
    lookAt('lm_studio', `${servers.lm_studio}/v1`, () => modelsOfLmStudio(http, servers.lm_studio)),
  ])
  return { checkedAt: now, providers }
}

/**
 * Tries a server: lists its models, or asks one model for an answer with a tool; then it lists that one alone. Never
 * rejects with ModelError.
 *
 * @param environment its secrets and the key are masked in what the server says.
 */
export async function testModel(
  http: ModelHttp,
  { baseUrl, model, keyVariable }: Tried,
  environment: Pick<Environment, 'resolve' | 'fetchMissing' | 'secrets'>,
): Promise<ModelServer> {
  const server = await lookAt('openai_compatible', baseUrl, async () => {
    const key = await keyOf(keyVariable, environment)
    return model === undefined
      ? modelsOfServer(http, baseUrl, key, listTimeoutMs)
      : [await tryModel(http, baseUrl, model, key)]
  })
  const key = keyVariable === null ? undefined : environment.resolve(keyVariable)
  const mask = textMasker([...environment.secrets(), ...(key === undefined ? [] : secretTexts(key))])
  const masked = (text: string) => mask?.(text) ?? text
  const problem = server.problem && { ...server.problem, message: masked(server.problem.message) }
  const models = server.models.map(found => ({ ...found, model: masked(found.model) }))
  const [tried] = server.models
  const cannot = model !== undefined && tried?.callsTools === false
  return {
    ...server,
    problem,
    models,
    ...(cannot && { state: 'failed' as const, problem: answerError('model_without_tools') }),
  }
}

type Tried = Pick<AssistantModel, 'baseUrl' | 'keyVariable'> & { readonly model?: string | undefined }

/** Returns the key of a model server; null if it needs none. @throws ModelError `model_key_missing`. */
export async function keyOf(
  keyVariable: string | null,
  { resolve, fetchMissing }: Pick<Environment, 'resolve' | 'fetchMissing'>,
): Promise<string | null> {
  if (keyVariable === null) return null
  const fetched = await fetchMissing([keyVariable])
  if (fetched !== null && 'error' in fetched) throw new ModelError('model_key_missing', fetched.error.message)
  const key = fetched?.values.get(keyVariable) ?? resolve(keyVariable)
  if (key !== undefined && /^[\x21-\x7e]+$/.test(key)) return key
  const problem =
    key === undefined
      ? 'is not set, or the settings do not let it be used'
      : 'has a space, a line break or another character that a key cannot have'
  throw new ModelError('model_key_missing', `The environment variable ${keyVariable} ${problem}.`)
}

async function lookAt(
  provider: ModelProvider,
  baseUrl: string,
  list: () => Promise<FoundModel[]>,
): Promise<ModelServer> {
  const server = { provider, name: serverNames[provider], baseUrl }
  try {
    const models = await list()
    return { ...server, state: models.length === 0 ? 'no_models' : 'found', models, problem: null }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    const { code, message } = error
    const state = code === 'model_unreachable' ? 'not_running' : 'failed'
    return { ...server, state, models: [], problem: { code, message } }
  }
}

const OllamaTags = z.object({
  models: z.array(z.object({ name: z.string(), size: z.int().nullish() })),
})
const OllamaDetails = z.object({
  capabilities: z.array(z.string()).nullish(),
  model_info: z.record(z.string(), z.unknown()).nullish(),
})

async function modelsOfOllama(http: ModelHttp, origin: string): Promise<FoundModel[]> {
  const request = { key: null, timeoutMs: localTimeoutMs }
  const { models } = parse(OllamaTags, await http.json(`${origin}/api/tags`, request), origin)
  return Promise.all(
    models.slice(0, mostModels).map(async ({ name, size }, index) => {
      const found = { model: name, bytes: size ?? null, callsTools: null, contextTokens: null }
      if (index >= mostDetails) return found
      // Older versions do not have this path. The model is offered without these details.
      const answer = await http
        .json(`${origin}/api/show`, { ...request, method: 'POST', body: { model: name } })
        .catch(() => null)
      const { data } = OllamaDetails.safeParse(answer)
      if (data === undefined) return found
      const length = Object.entries(data.model_info ?? {}).find(([key]) =>
        key.endsWith('.context_length'),
      )?.[1]
      return {
        ...found,
        callsTools: data.capabilities?.includes('tools') ?? null,
        contextTokens: tokens(length),
      }
    }),
  )
}

const LmStudioModels = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      type: z.string().nullish(),
      max_context_length: z.unknown().optional(),
      loaded_context_length: z.unknown().optional(),
      capabilities: z.array(z.string()).nullish(),
    }),
  ),
})

async function modelsOfLmStudio(http: ModelHttp, origin: string): Promise<FoundModel[]> {
  const answer = await http
    .json(`${origin}/api/v0/models`, { key: null, timeoutMs: localTimeoutMs })
    .catch(error => {
      if (error instanceof ModelError && error.code === 'model_unreachable') throw error
      return null
    })
  const { data } = LmStudioModels.safeParse(answer)
  // Older versions, and other servers at this port, have only the common path.
  if (data === undefined) return modelsOfServer(http, `${origin}/v1`, null, localTimeoutMs)
  return data.data
    .filter(({ type }) => type === undefined || type === null || type === 'llm' || type === 'vlm')
    .slice(0, mostModels)
    .map(({ id, capabilities, loaded_context_length, max_context_length }) => ({
      model: id,
      bytes: null,
      callsTools: capabilities?.includes('tool_use') ?? null,
      contextTokens: tokens(loaded_context_length) ?? tokens(max_context_length),
    }))
}

const ServerModels = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      max_model_len: z.unknown().optional(),
      context_length: z.unknown().optional(),
    }),
  ),
})

async function modelsOfServer(
  http: ModelHttp,
  baseUrl: string,
  key: string | null,
  timeoutMs: number,
): Promise<FoundModel[]> {
  const answer = await http.json(`${baseUrl}/models`, { key, timeoutMs })
  return parse(ServerModels, answer, baseUrl)
    .data.slice(0, mostModels)
    .map(({ id, max_model_len, context_length }) => ({
      model: id,
      bytes: null,
      callsTools: null,
      contextTokens: tokens(max_model_len) ?? tokens(context_length),
    }))
}

/** Asks for an answer with a tool, and stops reading once the server has accepted the request. */
async function tryModel(
  http: ModelHttp,
  baseUrl: string,
  model: string,
  key: string | null,
): Promise<FoundModel> {
  const found = { model, bytes: null, callsTools: true, contextTokens: null }
  const parameters = { type: 'object', properties: {}, additionalProperties: false }
  const body = {
    model,
    stream: true,
    messages: [{ role: 'user', content: 'Reply with OK.' }],
    tools: [{ type: 'function', function: { name: 'noop', description: 'Does nothing.', parameters } }],
  }
  try {
    await http.json(`${baseUrl}/chat/completions`, {
      method: 'POST',
      key,
      body,
      timeoutMs: answerTimeoutMs,
      onlyStatus: true,
    })
    return found
  } catch (error) {
    if (error instanceof ModelError && error.code === 'model_without_tools')
      return { ...found, callsTools: false }
    throw error
  }
}

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown, url: string): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new ModelError(
    'model_invalid_response',
    `${new URL(url).host} answers, but not as a model server does.`,
  )
}

function tokens(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null
}
