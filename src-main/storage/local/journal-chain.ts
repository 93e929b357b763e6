import type { Position } from './config-position.ts'
import type { JournalLine } from './journal-lines.ts'

/** Changes that are missing: those after a position, up to another one. */
export type Gap = { readonly after: Position; readonly upTo: Position }

export type Chain = {
  /** The changes to apply, in their order. */
  readonly lines: readonly JournalLine[]
  /** Where they lead to; null if neither the file nor a line names a position. */
  readonly end: Position | null
  readonly gaps: readonly Gap[]
  /** How many changes belong to another copy of the configuration and were left out. */
  readonly foreign: number
}

/**
 * Puts the changes of all journals in their order, each once, and finds those that are missing. A change of another
 * folder, or of another copy of this one, is left out, and what follows it too.
 *
 * @param start the position of the file; null if an earlier version wrote it, whose changes name no position either.
 */
export function chain(start: Position | null, found: readonly JournalLine[]): Chain {
  const lines: JournalLine[] = []
  const gaps: Gap[] = []
  const leftOut = new Set<string>()
  const applied = new Set<string>()
  let end = start
  for (const line of inOrder(found)) {
    const { follows } = line.change
    if (follows === undefined) {
      // An earlier version made this change, and may have written a journal meanwhile.
      lines.push(line)
      if (end !== null) end = after(end, line)
      continue
    }
    const here = after(follows, line)
    if (applied.has(keyOf(here))) continue
    const isOther =
      end !== null &&
      (follows.lineage !== end.lineage ||
        follows.version < end.version ||
        leftOut.has(keyOf(follows)) ||
        (follows.version === end.version && follows.seal !== end.seal))
    if (isOther) {
      leftOut.add(keyOf(here))
      continue
    }
    if (end !== null && follows.version > end.version) gaps.push({ after: end, upTo: follows })
    lines.push(line)
    applied.add(keyOf(here))
    end = here
  }
  return { lines, end, gaps, foreign: leftOut.size }
}

/** Returns the position after a line. Without a time, the one before it is the best that is known. */
function after(before: Position, { change, seal }: JournalLine): Position {
  return { lineage: before.lineage, version: before.version + 1, at: change.at ?? before.at, seal }
}

/** Returns lines by version, if each has one: damage may have swapped them. */
function inOrder(lines: readonly JournalLine[]): readonly JournalLine[] {
  const versionOf = ({ change }: JournalLine) => change.follows?.version
  if (lines.some(line => versionOf(line) === undefined)) return lines
  return lines.toSorted((one, other) => (versionOf(one) ?? 0) - (versionOf(other) ?? 0))
}

const keyOf = ({ version, seal }: Position) => `${version} ${seal}`

/** Returns what the newest change that was confirmed says about the end of the chain; null if nothing is missing. */
export function missingAtEnd(
  end: Position,
  lines: readonly JournalLine[],
  mark: Position,
): 'another history' | Gap | null {
  if (mark.lineage !== end.lineage) return 'another history'
  if (mark.version > end.version) return { after: end, upTo: mark }
  const isOnChain = ({ change, seal }: JournalLine) =>
    change.follows?.version !== mark.version - 1 || seal === mark.seal
  if (mark.version === end.version && mark.seal !== end.seal) return 'another history'
  return lines.every(isOnChain) ? null : 'another history'
}
