import { z } from 'zod'

/**
 * Identifies an issue for programs; its message is for people. `invalid_key`: the key at the end of the path is wrong,
 * such as the name of a header, not its value. `left_out`: `unsupported` contains it too. `nested_too_deep`: the value
 * at the path is below the deepest level. `host`: it is about the host that the actions of an import are called at.
 * `format_not_read`: the document has a format that an import does not read.
 */
const IssueCode = z.enum(['invalid_key', 'left_out', 'nested_too_deep', 'host', 'format_not_read'])
type IssueCode = z.infer<typeof IssueCode>

/** A problem of an input, or a remark about it. */
export const Issue = z.object({
  path: z.string().describe('Steps separated by dots; in an import a JSON path. Empty for the whole input.'),
  message: z.string(),
  code: IssueCode.optional().describe('Present only if programs need to distinguish the issue.'),
  line: z.int().min(1).optional().describe('The line in the text, from 1.'),
  column: z
    .int()
    .min(1)
    .optional()
    .describe('The character in that line, from 1, in UTF-16 units, as in editors.'),
  severity: z.enum(['error', 'warning']).optional().describe('In an import: an error prevents it.'),
  variable: z.string().optional().describe('The environment variable that you need to set.'),
  count: z.int().optional().describe('The number of unlisted issues that it represents.'),
})
export type Issue = z.infer<typeof Issue>

/** Returns an issue that a schema adds for an invalid key of a record; the path alone could mean its value. */
export function invalidKey(key: string, message: string) {
  const code: IssueCode = 'invalid_key'
  return { code: 'custom' as const, path: [key], message, params: { code } }
}

/** Returns an issue that a schema adds for a value below the deepest level. */
export function nestedTooDeep(path: (string | number)[], message: string) {
  const code: IssueCode = 'nested_too_deep'
  return { code: 'custom' as const, path, message, params: { code } }
}

const Coded = z.object({ params: z.object({ code: IssueCode }) })

/** Returns the code of an issue that a schema has found, as a part of an `Issue`; most have none. */
export function codeOf(found: unknown): Pick<Issue, 'code'> {
  const { data } = Coded.safeParse(found)
  return data === undefined ? {} : { code: data.params.code }
}

type Found = {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** Converts the issues that a schema has found. */
export function issuesOf({ issues }: { readonly issues: readonly Found[] }): Issue[] {
  return issues.map(issue => ({
    path: (issue.path ?? []).map(step => String(typeof step === 'object' ? step.key : step)).join('.'),
    message: issue.message,
    ...codeOf(issue),
  }))
}
