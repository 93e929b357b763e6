import { dotPath, type JsonNodes, nodeAt, readJsonNodes } from '../../ui/json-nodes.ts'
import { suggestAlias } from './suggest-alias.ts'
import { jsonOf } from './test/mapped-fields.ts'

/** Maximum number of fields that are proposed, and of characters of their values together. */
const most = { fields: 12, characters: 1024 }
/** A longer response takes too long to read on the page's thread, in characters. */
const maxResponse = 512 * 1024
/** Values after these are not considered. */
const maxNodes = 20_000
/** A longer text is more likely prose than a fact. */
const maxText = 200
/** The longest list that is worth mapping as a whole, as JSON. */
const maxList = 600

/** Names of fields that a model usually needs. */
const telling =
  /^(id|number|code|name|title|status|state|type|email|phone|amount|total|price|currency|quantity|count|date|error|message|reason|url)$|_(id|number|name|status|at|date|total|amount)$|(Id|Number|Name|Status|At|Date|Total|Amount)$/
/** Names of containers and fields that serve programs. */
const technical =
  /^(_.*|meta|metadata|links?|href|self|etag|hash|token|debug|trace|version|schema|locale|cursor)$/i

/**
 * Returns a mapping that keeps the telling fields of a response: single values near the top with names such as `id`
 * and `status`, and short lists. Empty if the response is not JSON or has none.
 */
export function proposeMapping(text: string): { readonly alias: string; readonly path: string }[] {
  const nodes = text.length > maxResponse ? null : readJsonNodes(text)
  // A list may have more or fewer items next time.
  if (nodes?.kinds[0] !== 'object') return []
  const candidates = candidatesOf(nodes).sort((a, b) => b.score - a.score || a.index - b.index)
  let characters = 0
  const chosen: Candidate[] = []
  for (const candidate of candidates) {
    if (chosen.length === most.fields || characters + candidate.length > most.characters) continue
    chosen.push(candidate)
    characters += candidate.length
  }
  const taken = new Set<string>()
  return chosen
    .sort((a, b) => a.index - b.index)
    .map(({ path }) => {
      const alias = suggestAlias(path, taken)
      taken.add(alias)
      return { alias, path }
    })
}

type Candidate = {
  readonly index: number
  readonly path: string
  readonly score: number
  /** The length of its value as JSON. */
  readonly length: number
}

function candidatesOf(nodes: JsonNodes): Candidate[] {
  const found: Candidate[] = []
  const end = Math.min(nodes.kinds.length, maxNodes)
  let at = 1
  while (at < end) {
    const kind = nodes.kinds[at]
    const isList = kind === 'array'
    const { steps, name, value, depth } = nodeAt(nodes, at)
    const next = nodes.ends[at] ?? at + 1
    if (technical.test(String(name))) {
      at = next
      continue
    }
    if (kind !== 'object') {
      const json = isList && next - at > maxList ? null : jsonOf(nodes, at)
      const path = dotPath(steps)
      const isUseful = isList ? json !== null && json.length <= maxList && json !== '[]' : isFact(kind, value)
      if (path !== null && json !== null && isUseful)
        found.push({
          index: at,
          path,
          score: (telling.test(String(name)) ? 4 : 0) - depth - (isList ? 1 : 0),
          length: json.length,
        })
    }
    // The items of a list are not mapped one by one, because there may be more or fewer next time.
    at = isList ? next : at + 1
  }
  return found
}

const isFact = (kind: JsonNodes['kinds'][number] | undefined, value: string) =>
  kind === 'string' ? value.length > 0 && value.length <= maxText : value !== 'null'
