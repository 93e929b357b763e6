import { z } from 'zod'
import { ActionHeaders, headerNameProblem } from './action-headers.ts'

const maxUrl = 2048
const AnyUrl = z.url()

/** The address of a document to import. It may have a query, but no credentials before the host. */
export const SourceUrl = z
  .string()
  .trim()
  .max(maxUrl, `A URL has at most ${maxUrl} characters.`)
  .superRefine((text, context) => {
    if (!/^https?:\/\/[^/]/i.test(text) || /[\s\\\p{Cc}]/u.test(text) || !AnyUrl.safeParse(text).success)
      context.addIssue('Write an absolute URL: https://api.example.com/openapi.json.')
    else if (/^https?:\/\/[^/?#]*@/i.test(text))
      context.addIssue('Remove the user name and password from the URL. Use a header for credentials.')
  })
  .describe('The address of the document. The service fetches it.')

/** A header to fetch a document with. */
export const SourceHeader = z
  .object({
    name: z.string(),
    value: z.string().describe('May contain variables: `Bearer {{ACME_TOKEN}}`.'),
  })
  .superRefine(({ name, value }, context) => {
    const nameProblem = headerNameProblem(name)
    if (nameProblem !== null) {
      context.addIssue({ code: 'custom', path: ['name'], message: nameProblem })
      return
    }
    const path = ['value']
    for (const { message } of ActionHeaders.safeParse({ [name]: value }).error?.issues ?? [])
      context.addIssue({ code: 'custom', path, message })
  })
export type SourceHeader = z.infer<typeof SourceHeader>

/** Where a document is. */
export const DocumentSource = z.object({
  url: SourceUrl,
  header: SourceHeader.nullish().describe(
    'Sent to the host of `url` alone, not to one that it redirects to.',
  ),
})
export type DocumentSource = z.infer<typeof DocumentSource>

/** A fetched document. */
export const FetchedDocument = z.object({
  text: z.string(),
  url: z.string().describe('Its address after redirects.'),
  bytes: z.int().describe('The size of the text in UTF-8.'),
  tookMs: z.number(),
})
export type FetchedDocument = z.infer<typeof FetchedDocument>
