import { z } from 'zod'
import { HttpUrl, range } from './parts.ts'

const StoredPattern = z
  .string()
  .min(1, 'A pattern has at least one character.')
  .max(1024, 'A pattern has at most 1,024 characters.')
  .regex(/^[/*]/, 'A pattern is compared with the whole path, so it begins with / or *.')
const PathPattern = StoredPattern.regex(
  /^[^?#]*$/,
  'A pattern is compared with the path alone, so it cannot have ? or #. Use * to match the rest of a path.',
)

const crawlerWith = (pattern: z.ZodType<string>) => {
  const patterns = z.array(pattern).max(200, 'A list has at most 200 patterns.').default([])
  return z.object({
    startUrl: z
      .union([z.literal(''), HttpUrl])
      .default('')
      .describe('Empty until it is set.'),
    includePatterns: patterns.describe('Path patterns; * matches any characters. Empty for all paths.'),
    excludePatterns: patterns.describe('Path patterns that win over those that include.'),
    maxDepth: range(0, 20, 'links').default(3).describe('Links between the start URL and a page.'),
    maxPages: range(1, 100_000, 'pages').default(500),
  })
}

/** Which pages of a website the agent reads. */
export const Crawler = crawlerWith(PathPattern)
export type Crawler = z.infer<typeof Crawler>

/** The crawler of a stored configuration. Earlier versions accepted patterns with `?` and `#`, which match nothing. */
export const StoredCrawler = crawlerWith(StoredPattern)
