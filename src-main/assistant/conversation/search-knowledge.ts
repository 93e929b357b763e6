import { readArguments } from '#main/assistant/read-arguments.ts'
import type { Bus } from '#main/lib/bus.ts'
import type { Passage, SearchPart } from '#shared/model/conversation.ts'
import type { KnowledgeFile, KnowledgeMatch } from '#shared/model/platform/knowledge.ts'
import { masked } from './answer-calls.ts'
import type { AnswerParts } from './answer-parts.ts'
import type { AskedCall } from './model-stream.ts'
import { changeSearch, unexpectedError, withPart } from './transcript.ts'

type Scope = { readonly workspaceId: string; readonly agentId: string }

/** The knowledge of agents. */
export type KnowledgeSource = {
  list(scope: Scope): Promise<readonly KnowledgeFile[]>
  /** Returns the agents that have files. */
  agents(): Promise<readonly Scope[]>
  /** Returns the passages that fit a query, the best first. */
  search(
    query: Scope & { readonly query: string; readonly limit: number },
  ): Promise<readonly KnowledgeMatch[]>
  /** Publishes when files were added or deleted. */
  readonly changes: Bus<void>
}

const maxQuery = 500
/** Maximum number of passages that a search asks for, and that the model gets. */
export const mostPassages = 20
const maxPassages = 8
/** In characters, of all passages and of one. */
const maxText = 16_000
const maxPassage = 4000

/** Searches the knowledge for the model, and adds the search to the answer. Never rejects. */
export async function startSearch(
  parts: AnswerParts,
  { argumentsText, isCut }: AskedCall,
  search: (query: string) => Promise<readonly KnowledgeMatch[]>,
): Promise<void> {
  const { session, newToolCallId, onError } = parts
  const mask = (text: string) => masked(parts, text)
  const toolCallId = newToolCallId()
  const given = readArguments(argumentsText)?.query
  const query = typeof given === 'string' ? given.trim() : ''
  const startedAt = performance.now()
  const part: SearchPart = {
    ...{ type: 'search', toolCallId, state: 'running', passages: [], omitted: 0, totalMs: null, error: null },
    query: mask(query).slice(0, maxQuery),
  }
  function change(more: Partial<SearchPart>): void {
    const totalMs = performance.now() - startedAt
    session.change(transcript => changeSearch(transcript, toolCallId, { ...more, totalMs }))
  }
  session.change(transcript => withPart(transcript, part))
  if (query === '') {
    const message = isCut
      ? 'The answer was cut in the middle of this search.'
      : 'The search has no words. Give them as {"query": "…"}.'
    return change({ state: 'failed', error: { code: 'invalid_arguments', message } })
  }
  try {
    const found = await search(query.slice(0, maxQuery))
    const passages = thatFit(found, mask)
    change({ state: 'answered', passages, omitted: found.length - passages.length })
  } catch (error) {
    onError(error)
    change({ state: 'failed', error: unexpectedError(error) })
  }
}

/** Returns the first passages, masked and shortened, that have at most `maxText` characters together. */
function thatFit(found: readonly KnowledgeMatch[], mask: (text: string) => string): Passage[] {
  let left = maxText
  return found.slice(0, maxPassages).flatMap(({ name, place, text }) => {
    // Masked before it is cut, since a part of a secret is not recognized.
    const shown = mask(text).slice(0, maxPassage).toWellFormed()
    if (shown.length > left) return []
    left -= shown.length
    return [{ fileName: mask(name), place, text: shown }]
  })
}
