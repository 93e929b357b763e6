import type { AssistantTools } from '#shared/model/assistant.ts'
import type { ToolListing } from '#shared/model/tool.ts'
import { formatCount, formatNumber } from '../../ui/format.ts'

/** How many tools there are, and the tokens of all and of the three with which the others are found. */
export type ToolTotals = Pick<AssistantTools, 'totalTools' | 'totalTokens' | 'onDemandTokens'>

/** Over so many tools, finding them when needed is suggested. */
const many = 100

/** Rounds an estimate to tens, as long as that is not nothing. */
export const toTens = (count: number) => (count < 100 ? count : Math.round(count / 10) * 10)

/** Returns an estimate of tokens in words: “about 310,000 tokens”. */
export function aboutTokens(tokens: number): string {
  const rounded = toTens(tokens)
  return `${rounded < 1000 ? '' : 'about '}${formatNumber(rounded)} tokens`
}

/** Returns what a choice means, in one line. @param totals undefined until they are known. */
export function listingExplanation(listing: ToolListing, totals: ToolTotals | undefined): string {
  if (listing === 'all') {
    const tokens = totals?.totalTokens ?? null
    const size = tokens === null ? '' : `, ${aboutTokens(tokens)},`
    return `The definitions of all tools${size} are added to every conversation.`
  }
  const tokens = totals?.onDemandTokens ?? null
  const size = tokens === null ? '' : `, ${aboutTokens(tokens)}`
  return `The model gets three tools${size}, with which it finds, reads and calls the others. The rules stay the same.`
}

/** Returns why tools should be found when needed; null for few tools. */
export function listingSuggestion({ totalTools, totalTokens, onDemandTokens }: ToolTotals): string | null {
  if (totalTools <= many) return null
  const saved = totalTokens === null || onDemandTokens === null ? 0 : totalTokens - onDemandTokens
  const saving = saved > 0 ? aboutTokens(saved) : 'most of their tokens'
  return `${formatCount(totalTools, 'tool')}: finding them when needed saves ${saving} in each conversation.`
}

/** Returns how many tools a search of the model found: “3 tools”. @param resultText what the model was told. */
export function foundLabel(resultText: string): string {
  const found = resultText.match(/"score":/g)?.length ?? 0
  return found === 0 ? 'nothing found' : formatCount(found, 'tool')
}
