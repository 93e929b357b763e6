import type { TokenCounter } from '#main/assistant/token-counter.ts'
import type { ToolCosts } from '#main/assistant/tool-costs.ts'
import type { Config } from '#main/storage/config.ts'
import type { ContextUse, MessagePart } from '#shared/model/conversation.ts'
import { toldOf, toldOfForm, toldOfSearch } from './model-messages.ts'
import { isWritten, type Transcript } from './transcript.ts'

/** From this share of the context on, a person is told that it is nearly full. */
const nearlyFull = 0.8
/** Tokens that an answer needs at least. */
const roomForAnswer = 256

/** About how many characters a token has, if it cannot be counted. */
const charactersPerToken = 3

export type ContextCounter = ReturnType<typeof createContextCounter>

/** Keeps the tokens of each part, which is counted once. A text that still grows is not counted. */
export function createContextCounter(counter: Pick<TokenCounter, 'count'>, costs: Pick<ToolCosts, 'tokens'>) {
  const kept = new WeakMap<MessagePart, readonly [message: number, result: number]>()
  const instructionTokens = new Map<string, number>()

  async function countTexts(texts: readonly string[]): Promise<number[]> {
    try {
      return await counter.count(texts)
    } catch {
      return texts.map(text => Math.ceil(text.length / charactersPerToken))
    }
  }

  async function countParts(parts: readonly MessagePart[]): Promise<void> {
    const added = parts.filter(part => !kept.has(part))
    const counts = await countTexts(added.flatMap(textsOf))
    for (const [index, part] of added.entries())
      kept.set(part, [counts[2 * index] ?? 0, counts[2 * index + 1] ?? 0])
  }

  async function countInstructions(text: string): Promise<number> {
    const known = instructionTokens.get(text)
    if (known !== undefined) return known
    const [tokens = 0] = await countTexts([text])
    instructionTokens.clear()
    instructionTokens.set(text, tokens)
    return tokens
  }

  return {
    /**
     * Estimates what the model reads for the next answer. Never rejects.
     *
     * @param instructions with the tools that are not of the workspace.
     */
    async count(config: Config, { messages, workspaceId, tools: listing }: Transcript, instructions: string) {
      const parts = messages.flatMap(message =>
        message.parts.filter(
          (part, place) => message.ended !== null || !isWritten(part) || place < message.parts.length - 1,
        ),
      )
      const asked = messages.filter(({ role }) => role === 'user').flatMap(message => message.parts)
      const all = [...new Set([...parts, ...asked])]
      const hasAll = listing === 'all' && config.workspaces.has(workspaceId)
      const tools = hasAll ? await costs.tokens(config, workspaceId) : 0
      const own = await countInstructions(instructions)
      await countParts(all)
      const sum = (index: 0 | 1) => all.reduce((total, part) => total + (kept.get(part)?.[index] ?? 0), 0)
      return contextUse({
        instructionsAndTools: own + tools,
        messages: sum(0),
        results: sum(1),
        limit: config.settings.assistantModel?.contextTokens ?? null,
      })
    },
  }
}

/** Two texts of a part: what belongs to the messages, and the result of a call, a search or a form. */
function textsOf(part: MessagePart): [string, string] {
  switch (part.type) {
    case 'text':
      return [part.text, '']
    case 'reasoning':
      return ['', '']
    case 'call':
      return [`${part.name} ${JSON.stringify(part.arguments)}`, toldOf(part)]
    case 'search':
      return [part.query, toldOfSearch(part)]
    case 'form':
      return ['', toldOfForm(part)]
  }
}

/** Adds how full the context is. */
export function contextUse(use: Omit<ContextUse, 'state'>): ContextUse {
  const used = use.instructionsAndTools + use.messages + use.results
  if (use.limit === null) return { ...use, state: 'enough' }
  const isFull = used + roomForAnswer > use.limit
  return { ...use, state: isFull ? 'full' : used > nearlyFull * use.limit ? 'nearly_full' : 'enough' }
}
