import { fillVariables, variablesIn } from '#shared/model/action-headers.ts'
import type { CallError } from '#shared/model/call.ts'
import { callError } from './failures.ts'
import { mask, secretTexts } from './mask-text.ts'

/** The process's and the settings' variables behind one door. */
export type Environment = {
  /** Undefined for one that is not set. */
  resolve(name: string): string | undefined
  /**
   * Everything that no outcome of a call may show, whichever action it belongs to. The same array for as long as
   * nothing has changed.
   */
  secrets?(): readonly string[]
}

export type HeaderMap = Record<string, string>

/** Extra headers of an action with their variables filled in. */
export type FilledHeaders = {
  /** As they are sent, secrets included. */
  readonly headers: Readonly<HeaderMap>
  /** Those that contain variables, by name, as they may be shown: `Bearer ••••`. */
  readonly shown: Readonly<HeaderMap>
}

/** What HTTP allows in a field value; all else would be refused on the way out or read differently. */
const notAllowed = /[^\t\x20-\x7e\x80-\xff]/

/** In characters. Servers take 8 to 16 KiB of all header fields together. */
const maxLength = 16_384

/** Headers that are about the connection between two hops and that an action cannot choose. */
const hopHeaders = new Set(['keep-alive', 'upgrade', 'expect', 'te', 'trailer', 'proxy-connection'])

/** Names of the environment variables that the headers use, each once. */
export function variablesOf(headers: Readonly<HeaderMap>): string[] {
  return [...new Set(Object.values(headers).flatMap(variablesIn))]
}

/**
 * Puts the values of environment variables into header values (decisions: `{{ENV}}`). No message ever holds
 * a value.
 *
 * @param values by name; undefined for a variable that is not set.
 */
export function fillHeaders(
  templates: Readonly<HeaderMap>,
  values: ReadonlyMap<string, string | undefined>,
): FilledHeaders | { error: CallError } {
  const missing = [...values].flatMap(([name, value]) => (value === undefined ? [name] : []))
  if (missing.length > 0) return { error: missingVariables(missing) }
  const headers: HeaderMap = {}
  const shown: HeaderMap = {}
  for (const [name, template] of Object.entries(templates)) {
    if (hopHeaders.has(name.toLowerCase()))
      return { error: callError('invalid_header_value', `The header ${name} cannot be set by an action.`) }
    const used = variablesIn(template)
    const filled =
      used.length === 0 ? template : fillVariables(template, variable => values.get(variable) ?? '')
    if (notAllowed.test(filled)) return { error: invalidValue(name, used, values) }
    if (filled.length > maxLength)
      return {
        error: callError(
          'invalid_header_value',
          `The header ${name} is longer than ${maxLength} characters.`,
        ),
      }
    headers[name] = filled
    if (used.length === 0) continue
    shown[name] = fillVariables(template, () => mask)
  }
  return { headers, shown }
}

/**
 * Returns what must not be shown of a header's value: the variables' values with what is in them, and of
 * `Basic {{PAIR}}` what the other side sees of it.
 */
export function headerSecrets(template: string, values: ReadonlyMap<string, string | undefined>): string[] {
  const used = variablesIn(template).map(name => values.get(name) ?? '')
  const whole = /^Basic +\S*\{\{/i.test(template)
    ? [fillVariables(template, name => values.get(name) ?? '')]
    : []
  return [...used, ...whole].flatMap(secretTexts)
}

function missingVariables(names: readonly string[]): CallError {
  const which =
    names.length === 1
      ? `variable ${names[0]}, which is not set`
      : `variables ${names.join(', ')}, which are not set`
  return callError(
    'missing_environment_variable',
    `A header needs the environment ${which}; no request was made.`,
    { environmentVariables: names },
  )
}

function invalidValue(
  header: string,
  used: readonly string[],
  values: ReadonlyMap<string, string | undefined>,
): CallError {
  const culprit = used.find(name => notAllowed.test(values.get(name) ?? ''))
  const text = culprit === undefined ? '' : (values.get(culprit) ?? '')
  const holds = /[\r\n]/.test(text)
    ? 'a line break'
    : /[\u0100-\uffff]/.test(text)
      ? 'a character beyond Latin-1'
      : 'a character that no header may hold'
  const what = culprit === undefined ? 'its value' : `the environment variable ${culprit}`
  return callError('invalid_header_value', `The header ${header} cannot be sent: ${what} holds ${holds}.`)
}
