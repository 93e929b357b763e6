/** Longer names are not compared, because the time grows with the product of both lengths. */
const maxComparedLength = 64

/** Returns the known name with the fewest edits, ignoring case and `_`; null if none is similar. */
export function nearestName(name: string, known: readonly string[]): string | null {
  if (name.length > maxComparedLength) return null
  const plain = (text: string) => text.replaceAll('_', '').toLowerCase()
  const wanted = plain(name)
  const most = (candidate: string) => Math.floor(Math.max(wanted.length, candidate.length) / 3)
  const ranked = known
    // At least as many edits as one name is longer than the other.
    .filter(candidate => Math.abs(wanted.length - plain(candidate).length) <= most(candidate))
    .map(candidate => ({ candidate, edits: editDistance(wanted, plain(candidate)) }))
    .filter(({ candidate, edits }) => edits <= most(candidate))
    .sort((first, second) => first.edits - second.edits)
  return ranked[0]?.candidate ?? null
}

/** Returns the Levenshtein distance. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [line, letter] of [...from].entries()) {
    const next = [line + 1]
    for (const [index, other] of [...to].entries())
      next.push(
        Math.min(
          (row[index] ?? 0) + (letter === other ? 0 : 1),
          (row[index + 1] ?? 0) + 1,
          (next[index] ?? 0) + 1,
        ),
      )
    row = next
  }
  return row.at(-1) ?? 0
}
