import { z } from 'zod'
import { isTimeZone } from '../../platform/zoned-time.ts'
import { TimeInput } from '../../time.ts'
import { Calendar } from './calendar.ts'
import { Crawler } from './crawler.ts'
import { AgentId, defaultAgentId, range, textUpTo } from './parts.ts'

/** Characters of all URLs times characters of all patterns. Every URL is compared with every pattern. */
const maxComparisons = 100_000_000

/** A percent sign counts three times, because it becomes `%25` in the form that is compared. */
const total = (texts: readonly string[]) =>
  texts.reduce((sum, text) => sum + text.length + 2 * (text.split('%').length - 1), 0)

export const TryPatterns = z
  .object({
    ...Crawler.pick({ startUrl: true, includePatterns: true, excludePatterns: true }).shape,
    urls: z
      .array(z.string().max(4096, 'A URL has at most 4,096 characters.'))
      .max(1000, 'Try at most 1,000 URLs.'),
  })
  .refine(
    ({ includePatterns, excludePatterns, urls }) =>
      total(urls) * total([...includePatterns, ...excludePatterns]) <= maxComparisons,
    { path: ['urls'], message: 'These are too many URLs for these patterns. Try fewer at once.' },
  )

const Reason = z.enum(['included', 'under_start', 'excluded', 'no_pattern', 'other_host', 'not_a_url'])

export const PatternResults = z.object({
  results: z.array(
    z.object({
      url: z.string(),
      taken: z.boolean(),
      rule: z.string().nullable().describe('The pattern that decided; null without one.'),
      reason: Reason,
    }),
  ),
})

const maxTaken = 1000

export const TrySlots = z.object({
  availability: Calendar,
  date: z.iso.date('Write a date as YYYY-MM-DD, for example 2026-11-26.'),
  timeZone: z
    .string()
    .max(100)
    .refine(isTimeZone, 'This time zone is not known. Write one such as Europe/Berlin.'),
  lengthMinutes: range(1, 1440, 'minutes'),
  taken: z
    .array(
      z.object({ start: TimeInput, end: TimeInput }).refine(({ start, end }) => start <= end, {
        path: ['end'],
        message: 'The end must not be before the start.',
      }),
    )
    .max(maxTaken, 'There may be at most 1,000 appointments.')
    .default([])
    .describe('Appointments that exist.'),
  now: TimeInput.optional().describe('Slots before it are not offered. Left out: the time of the service.'),
})

export const Slots = z.object({
  slots: z.array(z.object({ start: z.string(), end: z.string() })).describe('ISO 8601 with offset.'),
})

export const TryKeyword = z.object({
  workspaceId: z.string().optional(),
  agentId: AgentId.default(defaultAgentId),
  text: textUpTo(10_000),
})

export const KeywordMatches = z.object({
  matches: z
    .array(
      z.object({
        kind: z.enum(['sms', 'conversation-action']),
        keyword: z.string(),
        effect: z.string().describe('The answer of an SMS keyword, or the name of an action.'),
        start: z.int().describe('Where the keyword begins in the text, in UTF-16 units.'),
        end: z.int(),
      }),
    )
    .describe('SMS keywords first, then actions in their order.'),
})

const maxVariables = 200

export const TryText = z.object({
  text: textUpTo(4000),
  variables: z
    .record(
      z.string().max(200),
      z.union(
        [textUpTo(1000), z.number(), z.boolean()],
        'Write a text of at most 1,000 characters, a number, true or false.',
      ),
    )
    .refine(
      given => Object.keys(given).length <= maxVariables,
      `There may be at most ${maxVariables} variables.`,
    )
    .default({}),
})

export const FilledText = z.object({
  text: z.string(),
  unknown: z.array(z.string()).describe('Variables without a value. They stay as they are.'),
})
