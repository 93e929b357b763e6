import type { Command } from 'commander'
import { z } from 'zod'
import type { Searched } from '#shared/model/searched.ts'
import { TextOption } from './options.ts'
import { say } from './output.ts'

/** The options of `paged`. */
export const pageFields = {
  limit: z
    .string()
    .regex(/^0*([1-9]\d?|1\d\d|200)$/, 'Write a number from 1 to 200.')
    .transform(Number)
    .optional(),
  before: TextOption,
}
export type PageFields = { readonly limit?: number | undefined; readonly before?: string | undefined }

/** Adds the options of a list that comes in pages. */
export function paged(command: Command): Command {
  return command
    .option('--limit <n>', 'maximum number of rows, 1 to 200 (default: 50)')
    .option('--before <id>', 'only rows older than this one')
}

type Page = { readonly nextBefore: string | null; readonly searched?: Searched | undefined }

/** Says how to list the next page. */
export function sayNext({ nextBefore, searched }: Page): void {
  if (nextBefore === null) return
  const what =
    searched === undefined
      ? 'There are more. To list them'
      : `Searched ${searched.count}, back to ${searched.backTo}. To search older ones`
  say(`${what}, add: --before ${nextBefore}`)
}

/** Returns what to say where a page has no rows: `none`, unless older ones have not been searched. */
export function emptyWords({ nextBefore }: Page, none: string): string {
  return nextBefore === null ? none : 'Nothing found so far.'
}
