import { encodeText } from '../model/action-url.ts'
import type { Renderer } from './renderer.ts'
import { replaceVariables } from './templates.ts'

/** A URL with its variables replaced, and why it must not be called; null if it may be. */
export type RenderedUrl = { readonly url: string; readonly problem: string | null }

/**
 * Replaces the variables of a URL by their percent-encoded values. No value changes which path is called: the path needs
 * all its values, and none may leave a segment empty, or make it one that URL parsers resolve.
 *
 * @throws MissingValue, and what the renderer throws.
 */
export function renderUrl(template: string, render: Renderer): RenderedUrl {
  const pathEnd = withLetters(template).search(/[?#]|$/)
  const pathTemplate = template.slice(0, pathEnd)
  const path = render.required(pathTemplate, 'the path of the URL', encodeText)
  const url = path + render.text(template.slice(pathEnd), encodeText)
  const written = withLetters(pathTemplate).split(/[/\\]/)
  const segments = path.split(/[/\\]/)
  // No encoding prevents that.
  if (segments.some(segment => /^(?:\.|%2e){1,2}$/i.test(segment)))
    return { url, problem: 'A segment of the path is . or .., which would lead to another path.' }
  if (segments.some((segment, index) => segment === '' && written[index] !== ''))
    return {
      url,
      problem: 'A variable leaves a segment of the path empty, which would lead to another path.',
    }
  return { url, problem: null }
}

/** Returns a text of the same length with letters in place of its variables. */
function withLetters(template: string): string {
  return replaceVariables(template, (_path, source) => 'x'.repeat(source.length))
}
