import { z } from 'zod'
import { invalidKey } from './issue.ts'

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** Of the request itself or of its transport: no call could be made with another value. */
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

/** What is wrong with the name of an extra header; null for a good one (decisions: header names). */
export function headerNameProblem(name: string): string | null {
  if (!token.test(name)) return "A header name has only letters, digits and !#$%&'*+-.^_`|~."
  const lower = name.toLowerCase()
  if (reserved.has(lower) || lower.startsWith(reservedPrefix))
    return `The header ${name} is set by the service itself.`
  return null
}

/** `{{NAME}}` in a header value; NAME is an environment variable, resolved when the call is made. */
const placeholder = /\{\{([A-Za-z_][A-Za-z0-9_]{0,127})\}\}/g

/** Names of the environment variables that a header value uses, each once, in order. */
export function variablesIn(value: string): string[] {
  return [...new Set([...value.matchAll(placeholder)].map(match => match[1] ?? ''))]
}

/** Puts values in the place of `{{NAME}}`. @param resolve is asked once for each occurrence. */
export function fillVariables(value: string, resolve: (name: string) => string): string {
  return value.replace(placeholder, (_text, name: string) => resolve(name))
}

function headerValueProblem(value: string): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(value))
    return 'A header value has no line break and no other control character.'
  if (/[\u0100-\uffff]/.test(value)) return 'A header value has only Latin-1 characters.'
  if (value.replace(placeholder, '').includes('{{'))
    return 'A placeholder is {{NAME}}, NAME of at most 128 letters, digits and _, not beginning with a digit.'
  return null
}

/** Extra headers of an action (specification: Action, headers). */
export const ActionHeaders = z.record(z.string(), z.string().max(8192)).superRefine((headers, context) => {
  const seen = new Set<string>()
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase()
    const nameProblem =
      headerNameProblem(name) ??
      (seen.has(lower) ? 'A header is given once; upper and lower case are the same.' : null)
    seen.add(lower)
    const problem = headerValueProblem(value)
    if (nameProblem !== null) context.addIssue(invalidKey(name, nameProblem))
    else if (problem !== null) context.addIssue({ code: 'custom', path: [name], message: problem })
  }
})
