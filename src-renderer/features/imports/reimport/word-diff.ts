/** A run of text on one side: on both sides, or on this one alone. */
export type DiffPart = { readonly text: string; readonly isOwn: boolean }

/** Words on both sides together beyond which nothing is compared, because that takes their product. */
const maxWords = 2000

/** Compares two texts word by word. White space belongs to the word before it. */
export function diffWords(
  before: string,
  after: string,
): { readonly before: DiffPart[]; readonly after: DiffPart[] } {
  const left = wordsOf(before)
  const right = wordsOf(after)
  if (left.length + right.length > maxWords) {
    const unmarked = (text: string) => [{ text, isOwn: false }]
    return { before: unmarked(before), after: unmarked(after) }
  }
  const lengths = commonLengths(left, right)
  const common: [Set<number>, Set<number>] = [new Set(), new Set()]
  for (let i = 0, j = 0; i < left.length && j < right.length; ) {
    if (isSame(left[i], right[j])) {
      common[0].add(i++)
      common[1].add(j++)
    } else if (lengthAt(lengths, i + 1, j) >= lengthAt(lengths, i, j + 1)) i++
    else j++
  }
  return { before: joined(left, common[0]), after: joined(right, common[1]) }
}

const wordsOf = (text: string) => text.match(/\S+\s*|\s+/g) ?? []
const isSame = (one: string | undefined, other: string | undefined) => one?.trimEnd() === other?.trimEnd()

/** Returns the lengths of the longest common runs of the rests of both sides. */
function commonLengths(left: readonly string[], right: readonly string[]): readonly Uint16Array[] {
  const lengths = Array.from({ length: left.length + 1 }, () => new Uint16Array(right.length + 1))
  for (let i = left.length - 1; i >= 0; i--) {
    const row = lengths[i] ?? new Uint16Array()
    for (let j = right.length - 1; j >= 0; j--)
      row[j] = isSame(left[i], right[j])
        ? lengthAt(lengths, i + 1, j + 1) + 1
        : Math.max(lengthAt(lengths, i + 1, j), lengthAt(lengths, i, j + 1))
  }
  return lengths
}

const lengthAt = (lengths: readonly Uint16Array[], i: number, j: number) => lengths[i]?.[j] ?? 0

function joined(words: readonly string[], common: ReadonlySet<number>): DiffPart[] {
  const parts: { text: string; isOwn: boolean }[] = []
  for (const [index, text] of words.entries()) {
    const isOwn = !common.has(index)
    const last = parts.at(-1)
    if (last?.isOwn === isOwn) last.text += text
    else parts.push({ text, isOwn })
  }
  return parts
}
