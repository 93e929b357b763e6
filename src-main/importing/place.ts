import { createPositions } from '#main/json/text-position.ts'
import type { JsonPath } from '#shared/json/locate.ts'
import type { Parsed } from './parse.ts'
import { formatPath, hideSecrets, type Problem, ProblemList } from './problem.ts'

/** Adds lines and columns to problems and omissions, sorts them by position, and finds the lines of paths. */
export function place(
  parsed: Pick<Parsed, 'text' | 'locate' | 'omissions'>,
  problems: readonly Problem[],
  paths: readonly JsonPath[] = [],
) {
  const list = new ProblemList()
  list.add(problems)
  const listed = list.all()
  const positionOf = createPositions(parsed.text)
  const offsets = parsed.locate([...listed, ...paths.map(path => ({ path }))])
  const found = listed.map(({ path, message, severity, offset, code, variable, count }, index) => ({
    path: cut(formatPath(path)),
    message: cut(hideSecrets(message)),
    severity,
    offset: offset ?? offsets[index] ?? 0,
    ...(code !== undefined && { code }),
    ...(variable !== undefined && { variable }),
    ...(count !== undefined && { count }),
  }))
  const omissions = parsed.omissions.map(one => ({
    ...one,
    name: cut(hideSecrets(one.name)),
    ...(one.part !== undefined && { part: cut(hideSecrets(one.part)) }),
    reason: cut(hideSecrets(one.reason)),
  }))
  const left = omissions.map(({ name, reason, offset }) => ({
    path: '',
    message: `${name}: ${reason}`,
    code: 'left_out' as const,
    severity: 'warning' as const,
    offset,
  }))
  const issues = withoutRepeats([...found, ...left])
    .sort((one, other) => one.offset - other.offset)
    .map(({ offset, severity, ...issue }) => ({ ...issue, ...positionOf(offset), severity }))
  const unsupported = omissions.map(({ name, part = null, reason, offset, toolName = null }) => ({
    name,
    part,
    reason,
    toolName,
    ...positionOf(offset),
  }))
  const lines = paths.map((_path, index) => positionOf(offsets[listed.length + index] ?? 0).line)
  return { issues, unsupported, lines }
}

/** Characters of a message or path. Names in a document can be as long as the document. */
const maxShown = 2000

function cut(text: string): string {
  return text.length <= maxShown ? text : `${text.slice(0, maxShown)}…`
}

/** Removes repeated problems, which a repeated part of a document causes. */
function withoutRepeats<Found extends { path: string; message: string; offset: number }>(
  found: readonly Found[],
): Found[] {
  const byContent = new Map<string, Found>()
  for (const one of found) byContent.set(`${one.offset} ${one.path} ${one.message}`, one)
  return [...byContent.values()]
}
