import type { KnowledgePlace } from '../model/platform/knowledge.ts'

/** Returns a place in a file in words: “page 3”, “rows 2 to 9”. */
export function placeLabel({ unit, first, last }: KnowledgePlace): string {
  return first === last ? `${unit} ${first}` : `${unit}s ${first} to ${last}`
}
