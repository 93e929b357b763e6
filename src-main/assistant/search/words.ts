import { maxWords, normalizedWord, wordsIn } from '#main/lib/query-words.ts'

/** Words that a question has and no tool is about. */
const fillers = new Set(
  'a an and are as at be by can could do does for from how i in is it its me much my of on or our please some somebody someone that the this to was we what with you your'.split(
    ' ',
  ),
)

/** Verbs that people and APIs use for the same operation. A word of a query also finds the others of its group. */
const verbs = [
  ['create', 'new', 'open', 'add', 'make', 'post', 'publish', 'start'],
  ['update', 'edit', 'change', 'modify', 'set'],
  ['delete', 'remove', 'destroy', 'erase', 'drop'],
  ['get', 'read', 'show', 'view', 'fetch', 'retrieve', 'look', 'see', 'download'],
  ['list', 'all', 'who', 'which', 'show'],
  ['find', 'search', 'look'],
]

const alike = new Map<string, Set<string>>()
for (const group of verbs.map(words => words.map(stem)))
  for (const word of group) {
    const others = alike.get(word) ?? new Set()
    for (const other of group) if (other !== word) others.add(other)
    alike.set(word, others)
  }

/** Returns the stems of verbs for the same operation as that of a stem, without itself. */
export function verbsLike(word: string): Iterable<string> {
  return alike.get(word) ?? []
}

/** Returns the stems of a text, without fillers. Words end at camelCase, `_`, `-`, `/` and the like. */
export function stemsIn(text: string): string[] {
  return plainWords(text).flatMap(word => (fillers.has(word) ? [] : stem(word)))
}

/** Returns the different stems of a query, at most 16. One of fillers alone is searched for these. */
export function queryStems(query: string): string[] {
  const stems = new Set(stemsIn(query))
  if (stems.size === 0) for (const word of plainWords(query)) stems.add(stem(word))
  return [...stems].slice(0, maxWords)
}

/** Returns the words of a text in lower case and without accents. Of a link it leaves out the address. */
function plainWords(text: string): string[] {
  const split = text
    .replace(/\]\([^)\s]{0,300}\)|https?:\/\/\S+/g, ' ')
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1 ')
  return wordsIn(normalizedWord(split))
}

/**
 * Returns an English word without its plural, `-ing`, `-ed`, `-tion` and a final `e`, so that “closing”, “closed” and
 * “close” are one. It is a key, not a word. Words of other languages lose at most such an ending.
 */
export function stem(word: string): string {
  if (word.length < 4 || /\d/.test(word)) return word
  let found = withoutPlural(word)
  if (found.endsWith('ing')) found = withoutEnding(found, 3)
  else if (found.endsWith('ed')) found = withoutEnding(found, 2)
  else if (/[st]ion$/.test(found) && found.length > 7) found = found.slice(0, -3)
  if (found.length < 4) return found
  if (found.endsWith('e')) return found.slice(0, -1)
  return found.endsWith('y') ? `${found.slice(0, -1)}i` : found
}

function withoutPlural(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`
  if (/(?:ss|x|ch|sh|z)es$/.test(word)) return word.slice(0, -2)
  return /(?:ss|us|is|[^s])$/.test(word) ? word : word.slice(0, -1)
}

/** Removes an ending from a verb, and the doubled letter before it. A word such as “string” stays. */
function withoutEnding(word: string, length: number): string {
  const rest = word.slice(0, -length)
  if (rest.length < 3 || !/[aeiouy]/.test(rest)) return word
  return /([^aeiouylsz])\1$/.test(rest) ? rest.slice(0, -1) : rest
}
