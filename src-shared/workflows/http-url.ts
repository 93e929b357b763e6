import { encodeText } from '../model/action-url.ts'
import { isAllowed } from './http-hosts.ts'
import type { Renderer } from './renderer.ts'
import { replaceVariables, variablesIn } from './templates.ts'

/** A URL with its variables replaced, and why it must not be called; null if it may be. */
export type RenderedUrl = {
  readonly url: string
  readonly problem: { readonly code: 'invalid_path' | 'host_not_allowed'; readonly message: string } | null
}

/** Maximum number of characters of a URL in a message. */
const maxShown = 200

/**
 * Replaces the variables of a URL by their percent-encoded values. No value changes which path is called: the path needs
 * all its values, and none may leave a segment empty, or make it one that URL parsers resolve. A host with variables, or
 * a URL that begins with one, is inserted as it is, and must be among `hosts`. The value of a host has no path.
 *
 * @param hosts absent for a URL whose host has no variables.
 * @throws MissingValue, and what the renderer throws.
 */
export function renderUrl(template: string, render: Renderer, hosts?: readonly string[]): RenderedUrl {
  const hostEnd = hosts === undefined ? 0 : endOfHost(template)
  const host = render.required(template.slice(0, hostEnd), 'the host of the URL')
  const { url: rest, problem } = renderRest(template.slice(hostEnd), render)
  const url = host + rest
  if (hosts === undefined || problem !== null) return { url, problem }
  const isWhole = variablesIn(template)[0]?.from === 0
  if (isWhole && template[hostEnd] === '/' && /[?#]/.test(host)) return { url, problem: pathAfterQuery }
  const hasPath = !isWhole && !/^https?:\/\/[^/?#]*$/i.test(host)
  if (!hasPath && isAllowed(url, hosts)) return { url, problem }
  const shown = url.length > maxShown ? `${url.slice(0, maxShown)}…` : url
  const message = hasPath
    ? `A variable in the host inserts more than a host: ${shown}. Nothing was sent.`
    : `The host of ${shown} is not among the hosts of the step: ${hosts.join(', ')}. Nothing was sent.`
  return { url, problem: { code: 'host_not_allowed', message } }
}

/** The service would call the path that the variable has, and take the written one for a part of the query. */
const pathAfterQuery = {
  code: 'invalid_path' as const,
  message: 'The URL that the variable inserts has a query or a fragment, so that no path can follow.',
}

/** Returns where the host of a URL ends, or the variable that the URL begins with. */
function endOfHost(template: string): number {
  const plain = withLetters(template)
  const [first] = variablesIn(template)
  if (first?.from === 0) return first.to
  return /^https?:\/\/[^/?#]*/i.exec(plain)?.[0].length ?? 0
}

/** Returns the rest of a URL, or all of one whose host has no variables. */
function renderRest(template: string, render: Renderer): RenderedUrl {
  const invalid = (message: string) => ({ code: 'invalid_path' as const, message })
  const pathEnd = withLetters(template).search(/[?#]|$/)
  const pathTemplate = template.slice(0, pathEnd)
  const path = render.required(pathTemplate, 'the path of the URL', encodeText)
  const url = path + render.text(template.slice(pathEnd), encodeText)
  const written = withLetters(pathTemplate).split(/[/\\]/)
  const segments = path.split(/[/\\]/)
  // No encoding prevents that.
  if (segments.some(segment => /^(?:\.|%2e){1,2}$/i.test(segment)))
    return { url, problem: invalid('A segment of the path is . or .., which would lead to another path.') }
  if (segments.some((segment, index) => segment === '' && written[index] !== ''))
    return {
      url,
      problem: invalid('A variable leaves a segment of the path empty, which would lead to another path.'),
    }
  return { url, problem: null }
}

/** Returns a text of the same length with letters in place of its variables. */
function withLetters(template: string): string {
  return replaceVariables(template, (_path, source) => 'x'.repeat(source.length))
}
