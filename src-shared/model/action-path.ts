const maxLength = 2048

/** Matches two slashes and a host with a user, a port, several labels or brackets, not only a segment of a path. */
const beginsWithHost =
  /^\/{2,}(?:[^/?#]*[@[]|localhost(?![^/?#:])|[^/?#]*(?::\d+|\.[a-z]{2,}|\.\d+)(?![^/?#]))/i

/** Returns a path with one slash in place of several at its start. Joining it to the base URL does the same. */
export function withOneSlash(path: string): string {
  return path.replace(/^\/{2,}/, '/')
}

/**
 * Returns the problems of an action's path as sentences, but for its placeholders, which are valid if parameters fill
 * them; none for a valid one.
 */
export function pathProblems(path: string): string[] {
  const problems: string[] = []
  if (path.trim() === '') return ['A path needs at least one character. A single / calls the base URL.']
  if (path.length > maxLength) return [`A path has at most ${maxLength} characters.`]
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\x00-\x20\x7f\\]/.test(path))
    problems.push('A path must not contain white space, control characters or backslashes.')
  if (/^(?:[a-z][a-z0-9+.-]*:\/\/|https?:)/i.test(path))
    problems.push('Remove the scheme and host. They belong to the base URL.')
  if (beginsWithHost.test(path)) problems.push('Remove the host after //. It belongs to the base URL.')
  if (path.includes('#')) problems.push('A path must not contain a fragment (#…).')
  const [pathname = ''] = path.split('?')
  const segments = pathname.split('/')
  // The URL standard reads %2e as a dot, so both spellings would climb out of the base URL.
  if (segments.some(segment => /^(?:\.|%2e){2}$/i.test(segment)))
    problems.push('A path must not contain a .. segment.')
  return problems
}

/** Returns the problem of a path with a placeholder that no parameter fills; null if it has none. */
export function openPlaceholderProblem(path: string): string | null {
  const [pathname = ''] = path.split('?')
  return hasPair(path, '{', '}') ||
    hasPair(path, '<', '>') ||
    pathname.split('/').some(segment => /^:[A-Za-z_]/.test(segment))
    ? 'A path must not contain placeholders. Send the value as a parameter instead. With "in": "path", it fills {its name}.'
    : null
}

/** Returns whether `open` precedes `close` anywhere. A regular expression would scan to the end from each `open`. */
export function hasPair(text: string, open: string, close: string): boolean {
  const start = text.indexOf(open)
  return start !== -1 && text.indexOf(close, start) !== -1
}

/** Returns the decoded names of a path's fixed query parameters. */
export function fixedQueryNames(path: string): string[] {
  const query = path.split('?').slice(1).join('?')
  return query === ''
    ? []
    : query
        .split('&')
        .filter(pair => pair !== '')
        .map(pair => decode(pair.split('=')[0] ?? ''))
}

function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ')
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced
  }
}
