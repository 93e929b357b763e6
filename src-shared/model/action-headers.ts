import { z } from 'zod'
import { invalidKey } from './issue.ts'

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** Headers of the request itself or of its transport. A call cannot use another value. */
const reserved = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'upgrade',
  'expect',
  'te',
  'trailer',
  'proxy-connection',
])
const reservedPrefix = 'x-service-'

/** Returns the problem of an extra header's name; null if there is none. */
export function headerNameProblem(name: string): string | null {
  if (!token.test(name)) return "A header name may contain only letters, digits and !#$%&'*+-.^_`|~."
  // Objects have no field of this name, so it would not be sent.
  if (name === '__proto__') return 'The header __proto__ cannot be sent.'
  const lower = name.toLowerCase()
  if (reserved.has(lower) || lower.startsWith(reservedPrefix))
    return `The header ${name} is set by the service itself.`
  return null
}

/** Matches `{{NAME}}` in a header value. NAME is an environment variable, resolved at the time of the call. */
const placeholder = /\{\{([A-Za-z_][A-Za-z0-9_]{0,127})\}\}/g

/** Returns the names of the environment variables in a header value, each once, in order. */
export function variablesIn(value: string): string[] {
  return [...new Set([...value.matchAll(placeholder)].map(match => match[1] ?? ''))]
}

/** Replaces each `{{NAME}}` with its value. @param resolve is called once per occurrence. */
export function fillVariables(value: string, resolve: (name: string) => string): string {
  return value.replace(placeholder, (_text, name: string) => resolve(name))
}

/** Returns the value of a header, whose name can be in any case; undefined if it is not set. */
export function headerNamed(
  headers: Readonly<Record<string, string>> | null,
  name: string,
): string | undefined {
  const lower = name.toLowerCase()
  return Object.entries(headers ?? {}).find(([header]) => header.toLowerCase() === lower)?.[1]
}

/** Returns the problem of a header's value, which may have variables; null if there is none. */
export function headerValueProblem(value: string): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(value))
    return 'A header value must not contain line breaks or other control characters.'
  if (/[\u0100-\uffff]/.test(value)) return 'A header value may contain only Latin-1 characters.'
  return placeholderProblem(value)
}

/** Returns the problem of braces in a text that are not a variable; null if there is none. */
export function placeholderProblem(value: string): string | null {
  if (!value.replace(placeholder, '').includes('{{')) return null
  return 'A placeholder is {{NAME}}. NAME has at most 128 letters, digits and _, and does not start with a digit.'
}

/** More than servers accept. */
const maxHeaders = 1000

/** Extra headers of an action. */
export const ActionHeaders = z.record(z.string(), z.string().max(8192)).superRefine((headers, context) => {
  if (Object.keys(headers).length > maxHeaders) {
    context.addIssue(`An action has at most ${maxHeaders} headers.`)
    return
  }
  const seen = new Set<string>()
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase()
    const nameProblem =
      headerNameProblem(name) ??
      (seen.has(lower) ? 'This header is repeated. Upper and lower case count as the same.' : null)
    seen.add(lower)
    const problem = headerValueProblem(value)
    if (nameProblem !== null) context.addIssue(invalidKey(name, nameProblem))
    else if (problem !== null) context.addIssue({ code: 'custom', path: [name], message: problem })
  }
})
