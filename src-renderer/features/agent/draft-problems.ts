import type { z } from 'zod'
import { type JsonPath, locateInJson } from '#shared/json/locate.ts'
import { unknownFields } from '#shared/unknown-fields.ts'
import type { EditorProblem } from '../../ui/json-editor.tsx'

/** Messages by path: `workingHours.monday.start`. The empty path is the whole object. */
export type Problems = Readonly<Partial<Record<string, string>>>

/** Returns what is wrong with a draft: the first message of each path. */
export function problemsOf(schema: z.ZodType, draft: unknown): Problems {
  const found: Record<string, string> = {}
  for (const { path, message } of schema.safeParse(draft).error?.issues ?? [])
    found[path.join('.')] ??= message
  return found
}

type Read<T> = { readonly value: T } | { readonly problems: readonly EditorProblem[] }

/** Returns the object that a JSON text contains, or the problems at their places. Syntax errors are the editor's. */
export function readJson<T>(schema: z.ZodType<T>, text: string): Read<T> {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    return { problems: [] }
  }
  const { data, error } = schema.safeParse(given)
  const unknown = unknownFields(schema, given)
  if (error === undefined && unknown.length === 0 && data !== undefined) return { value: data }
  const issues: { path: JsonPath; message: string; atKey: boolean }[] = [
    ...unknown.map(({ path, message }) => ({ path: stepsOf(path), message, atKey: true })),
    ...(error?.issues ?? []).map(({ path, message, code }) => ({
      path: path.filter(step => typeof step !== 'symbol'),
      message: path.length === 0 ? message : `\`${path.join('.')}\`: ${message}`,
      atKey: code === 'invalid_key',
    })),
  ]
  const offsets = locateInJson(text)(issues)
  return {
    problems: issues.map(({ message }, index) => ({
      from: offsets[index] ?? 0,
      message,
      severity: 'error',
    })),
  }
}

/** Returns the steps of a path whose parts are separated by dots. */
const stepsOf = (path: string): JsonPath =>
  path.split('.').map(step => (/^\d+$/.test(step) ? Number(step) : step))
