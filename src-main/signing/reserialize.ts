import { type JsonQuoting, jsonLayouts, jsonQuotings, writeJson } from './json-style.ts'
import type { JsonTree } from './json-tree.ts'

/** The limit for all texts of one body together, in characters. */
const maxProduced = 1024 * 1024

/**
 * Generates a body as common JSON libraries format it, the likeliest first. At most 96 texts: 4 layouts, original
 * or sorted keys, 6 ways of escaping, without and with a final newline. Skips escapings that make no difference
 * for this body. Ends early after 1 Mi characters. `description` goes into parentheses.
 */
export function* reserialize(tree: JsonTree): Generator<{ text: string; description: string }> {
  const quotings = distinctQuotings(tree)
  const made: { text: string; description: string }[] = []
  let produced = 0
  for (const sortKeys of [false, true]) {
    for (const quoting of quotings) {
      for (const layout of jsonLayouts) {
        const text = writeJson(tree, { ...layout, quote: quoting.quote, sortKeys }, maxProduced - produced)
        if (text === null) return
        produced += text.length
        const traits = [layout.description, sortKeys ? 'sorted keys' : '', quoting.description]
        const description = traits.filter(trait => trait !== '').join(', ')
        made.push({ text, description })
        yield { text, description }
      }
    }
  }
  for (const { text, description } of made) {
    yield { text: `${text}\n`, description: `${description}, a final newline` }
  }
}

function distinctQuotings(tree: JsonTree): JsonQuoting[] {
  const strings = [...stringsOf(tree)].join('')
  const seen = new Set<string>()
  return jsonQuotings.filter(({ quote }) => {
    const text = quote(strings)
    return seen.has(text) ? false : seen.add(text)
  })
}

function* stringsOf(tree: JsonTree): Generator<string> {
  if (tree.kind === 'string') yield tree.value
  if (tree.kind === 'array') for (const item of tree.items) yield* stringsOf(item)
  if (tree.kind !== 'object') return
  for (const [name, value] of tree.members) {
    yield name
    yield* stringsOf(value)
  }
}
