import { basename } from 'node:path'
import { type FileSystem, freeName, linkOrCopy, messageOf } from '#main/lib/file-system.ts'
import { unavailable } from '../unavailable.ts'
import { journalName, numbersBeside } from './config-journal.ts'
import type { Position } from './config-position.ts'
import { type Chain, chain, type Gap, missingAtEnd } from './journal-chain.ts'
import { type JournalLine, parseJournal } from './journal-lines.ts'

export type ReadJournal = {
  readonly number: number
  readonly lines: readonly JournalLine[]
}

export type ReadJournals = {
  readonly journals: readonly ReadJournal[]
  /** The changes of them to apply. */
  readonly chain: Chain
  /** Sentences that say what is lost, and why; none if nothing is. */
  readonly losses: readonly string[]
}

type Parts = {
  /** The number of the last journal whose changes the file has. */
  readonly after: number
  /** The position of the file's last change; null if an earlier version wrote it. */
  readonly start: Position | null
  /** The newest change that was confirmed; null if that is not known. */
  readonly mark: Position | null
  readonly fs: FileSystem
  /** Milliseconds since 1970. */
  readonly now: number
}

/**
 * Reads the journals after the file, the oldest first. A journal with lines that cannot be read or are not used is kept
 * under another name.
 *
 * @throws ServiceError `storage_unavailable`.
 */
export async function readJournals(file: string, parts: Parts): Promise<ReadJournals> {
  const { after, start, mark, fs, now } = parts
  const numbers = await numbersBeside(file, fs)
  const journals: ReadJournal[] = []
  const problems: string[] = []
  const damaged: number[] = []
  let last = after
  for (const number of numbers.filter(number => number > after)) {
    const path = journalName(file, number)
    if (number !== last + 1) problems.push(`${basename(journalName(file, last + 1))} is missing.`)
    last = number
    const bytes = await fs.readFile(path).catch(error => {
      throw unavailable(`${path} cannot be read`, error)
    })
    const { problems: wrong, ...journal } = parseJournal(bytes)
    journals.push({ ...journal, number })
    // A kill could leave an earlier version a journal without a line.
    if (wrong.length === 0 || (start === null && journal.lines.length === 0 && wrong.length === 1)) continue
    damaged.push(number)
    problems.push(`${basename(path)} is damaged: ${wrong.join('; ')}.`)
  }
  const found = chain(
    start,
    journals.flatMap(({ lines }) => lines),
  )
  const gaps: Gap[] = [...found.gaps]
  if (start !== null && mark !== null && found.end !== null) {
    const missing = missingAtEnd(found.end, found.lines, mark)
    if (missing === 'another history')
      problems.push(
        `${basename(file)} or its journal was replaced by that of another folder or of another time, whose changes are not those of this folder.`,
      )
    else if (missing !== null) gaps.push(missing)
  }
  if (found.foreign > 0) {
    problems.push(`${counted(found.foreign)} in its journals belong to another copy of it and were left out.`)
    damaged.push(...journals.map(({ number }) => number))
  }
  for (const number of new Set(damaged))
    problems.push(
      `${basename(journalName(file, number))} is kept as ${await keep(journalName(file, number), fs, now)}.`,
    )
  if (problems.length + gaps.length === 0) return { journals, chain: found, losses: [] }
  const loss = [...gaps.map(gapSentence), ...problems]
  return { journals, chain: found, losses: [`${loss.join(' ')} ${advice}`] }
}

const advice =
  'All other changes were applied. Check the configuration, make the missing changes again, or restore a backup.'

/** Gives a damaged journal another name, under which it stays. Returns it. @throws ServiceError `storage_unavailable`. */
async function keep(path: string, fs: FileSystem, now: number): Promise<string> {
  try {
    const aside = await freeName(`${path}.damaged-${new Date(now).toISOString().replaceAll(':', '-')}`, fs)
    await linkOrCopy(path, aside, fs)
    return basename(aside)
  } catch (error) {
    throw unavailable(`${path} is damaged, and cannot be kept: ${messageOf(error)}`, error)
  }
}

function gapSentence({ after, upTo }: Gap): string {
  const count = upTo.version - after.version
  const which = count === 1 ? `number ${upTo.version}` : `numbers ${after.version + 1} to ${upTo.version}`
  return `${counted(count)} of the configuration ${count === 1 ? 'is' : 'are'} lost: ${which}, made after ${timeText(after.at)}, the last at ${timeText(upTo.at)}.`
}

const counted = (count: number) => (count === 1 ? '1 change' : `${count.toLocaleString('en')} changes`)

/** Returns a moment of ISO 8601 to the second. */
const timeText = (at: string) => `${at.slice(0, 19).replace('T', ' ')} UTC`
