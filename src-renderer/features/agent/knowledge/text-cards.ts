import type { KnowledgeFile, KnowledgePassage, KnowledgePlace } from '#shared/model/platform/knowledge.ts'
import { formatNumber } from '../../../ui/format.ts'

/** Joins the passages of a page, so that a page is one card. */
export function cardsOf(passages: readonly KnowledgePassage[]): KnowledgePassage[] {
  const cards: KnowledgePassage[] = []
  for (const passage of passages) {
    const last = cards.at(-1)
    const isSamePage =
      last !== undefined && passage.place.unit === 'page' && passage.place.first === last.place.first
    if (isSamePage) cards[cards.length - 1] = { ...last, text: `${last.text}\n\n${passage.text}` }
    else cards.push(passage)
  }
  return cards
}

const unitWords = {
  page: ['Page', 'Pages'],
  paragraph: ['Paragraph', 'Paragraphs'],
  line: ['Line', 'Lines'],
  row: ['Row', 'Rows'],
} as const

/** Returns where a passage is: “Page 4 of 14”, “Rows 2–41”. */
export function placeWords(
  { unit, first, last }: KnowledgePlace,
  { pages }: Pick<KnowledgeFile, 'pages'>,
): string {
  const [one, many] = unitWords[unit]
  if (first !== last) return `${many} ${formatNumber(first)}–${formatNumber(last)}`
  const of = unit === 'page' && pages !== null ? ` of ${formatNumber(pages)}` : ''
  return `${one} ${formatNumber(first)}${of}`
}
