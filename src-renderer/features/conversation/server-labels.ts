import type { AssistantModel, FoundModel, ModelProvider, ModelServer } from '#shared/model/assistant-model.ts'
import { defaultContextTokens } from '#shared/model/assistant-model.ts'
import { formatCount } from '../../ui/format.ts'

/** Returns whether an address is of this computer. */
export function isLocal(baseUrl: string): boolean {
  if (!URL.canParse(baseUrl)) return false
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(baseUrl).hostname)
}

export const hostOf = (baseUrl: string): string => (URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl)

const names: Readonly<Record<Exclude<ModelProvider, 'openai_compatible'>, string>> = {
  ollama: 'Ollama',
  lm_studio: 'LM Studio',
}

/** Returns the name of a model's server: Ollama, or the host of another. */
export function serverName({ provider, baseUrl }: Pick<AssistantModel, 'provider' | 'baseUrl'>): string {
  return provider === 'openai_compatible' ? hostOf(baseUrl) : names[provider]
}

/** Returns where messages go. */
export function whereLabel(baseUrl: string): string {
  return isLocal(baseUrl)
    ? 'Messages and the results of calls are sent to a server on the service’s computer.'
    : `Messages and the results of calls are sent to ${hostOf(baseUrl)}.`
}

export const canCallTools = ({ callsTools }: FoundModel): boolean => callsTools !== false

/** Returns why some models cannot be chosen; null if all can. */
export function leftOutLabel({ models }: Pick<ModelServer, 'models'>): string | null {
  const left = models.filter(model => !canCallTools(model))
  if (left.length === 0) return null
  const names = left.slice(0, 3).map(({ model }) => model)
  const more = left.length > names.length ? ` and ${formatCount(left.length - names.length, 'other')}` : ''
  const are = left.length === 1 ? 'is' : 'are'
  return `${left.length} of ${formatCount(models.length, 'model')} ${are} left out: ${names.join(', ')}${more} cannot call tools.`
}

/** Returns the setting for a found model. */
export function settingOf(server: ModelServer, found: FoundModel): AssistantModel {
  const { provider, baseUrl } = server
  return { provider, baseUrl, model: found.model, keyVariable: null, contextTokens: contextOf(found) }
}

/** A model that can read more needs more memory than a computer may have, so the default is small. */
export const contextOf = ({ contextTokens }: Pick<FoundModel, 'contextTokens'>): number =>
  Math.min(contextTokens ?? defaultContextTokens, defaultContextTokens)
