import { z } from 'zod'
import { EnvironmentName } from './environment.ts'
import { Moment } from './identifiers.ts'
import { BaseUrl } from './urls.ts'

/** The kind of a model server. All of them speak OpenAI's Chat Completions. */
export const ModelProvider = z.enum(['ollama', 'lm_studio', 'openai_compatible'])
export type ModelProvider = z.infer<typeof ModelProvider>

export const ModelName = z
  .string()
  .trim()
  .min(1, 'Name a model, as its server calls it.')
  .max(200, 'A model’s name has at most 200 characters.')
  .regex(/^[^\p{Cc}]*$/u, 'A model’s name has no control characters.')

export const defaultContextTokens = 32_768

/** The model that answers in conversations. */
export const AssistantModel = z.object({
  provider: ModelProvider,
  baseUrl: BaseUrl.describe('The part before /chat/completions, such as http://127.0.0.1:11434/v1.'),
  model: ModelName,
  keyVariable: EnvironmentName.nullable().describe(
    'The environment variable with the server’s key; null for none. Only its name is stored.',
  ),
  contextTokens: z
    .int()
    .min(1024)
    .max(10_000_000)
    .describe('The most tokens that the model reads at once: instructions, tools, messages and results.'),
})
export type AssistantModel = z.infer<typeof AssistantModel>

export const FoundModel = z.object({
  model: z.string(),
  bytes: z.int().nullable().describe('Null if the server does not say.'),
  callsTools: z.boolean().nullable().describe('Null if the server does not say.'),
  contextTokens: z.int().nullable().describe('Null if the server does not say.'),
})
export type FoundModel = z.infer<typeof FoundModel>

export const ModelServerState = z.enum(['found', 'not_running', 'no_models', 'failed'])

/** A server of models, and what it has. */
export const ModelServer = z.object({
  provider: ModelProvider,
  name: z.string().describe('Such as Ollama.'),
  baseUrl: z.string().describe('As `assistantModel` in the settings takes it.'),
  state: ModelServerState.describe(
    'found: it has models. not_running: nothing answers there. failed: see `problem`.',
  ),
  models: z.array(FoundModel),
  problem: z
    .object({ code: z.string(), message: z.string() })
    .nullable()
    .describe('Why it cannot be used; null if it can.'),
})
export type ModelServer = z.infer<typeof ModelServer>

/** The model servers of this computer. */
export const FoundModels = z.object({ checkedAt: Moment, providers: z.array(ModelServer) })
export type FoundModels = z.infer<typeof FoundModels>

/** A model server to try. */
export const ModelTest = AssistantModel.pick({ baseUrl: true }).extend({
  model: ModelName.optional().describe('Also asks this model for a short answer with a tool.'),
  keyVariable: EnvironmentName.nullable().default(null),
})
