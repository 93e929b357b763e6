import { z } from 'zod'
import { parsePath } from '../variable-path.ts'
import { maxSignedText, parseSignedText, type SignedPart, SignedTextError } from './signed-text.ts'

/** Characters of the name of a header in a scheme. */
export const maxHeaderName = 100

const HeaderName = z
  .string()
  .max(maxHeaderName)
  .regex(
    /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/,
    "A header name may contain only letters, digits and !#$%&'*+-.^_`|~.",
  )

const DotPath = z
  .string()
  .max(200)
  .refine(path => parsePath(path) !== null, 'Write a dot-path: type, event.name or items[0].kind.')

/** Where the name of an event is: in a header, or at a dot-path of the body. */
export const EventNameSource = z.union([z.object({ header: HeaderName }), z.object({ path: DotPath })])
export type EventNameSource = z.infer<typeof EventNameSource>

/** Where the data of an event is: the whole body, or an object at a dot-path of it. */
export const DataSource = z.union([z.literal('body'), z.object({ path: DotPath })])
export type DataSource = z.infer<typeof DataSource>

export const Algorithm = z.enum(['sha256', 'sha1', 'sha512'])
export type Algorithm = z.infer<typeof Algorithm>

/** Bytes of a digest. */
export const digestBytes = { sha1: 20, sha256: 32, sha512: 64 } as const satisfies Record<Algorithm, number>

const Prefix = z
  .string()
  .max(50)
  .regex(/^[!-~]*$/, 'A prefix may contain visible ASCII characters only.')

/** Whether a correctly signed request without an event, such as one that checks the URL, is refused or accepted. */
export const EmptyBody = z.enum(['refuse', 'accept'])

/** How far a sender's timestamp may be from this service's clock, in milliseconds. */
export const defaultWindowMs = 300_000
const WindowMs = z.int().min(1000).max(3_600_000)

/** How to find and to check the signature of a request, and what it says. */
export const templateFields = {
  signatureHeader: HeaderName.describe('The header with the signature.'),
  prefix: Prefix.default('').describe('What comes before the digest, for example `sha256=`.'),
  separator: z
    .enum([' ', ',', ';'])
    .optional()
    .describe('Between several values of the signature header. Those without the prefix are skipped.'),
  encoding: z.enum(['hex', 'base64']),
  algorithm: Algorithm.default('sha256').describe('The hash function of the HMAC.'),
  key: z
    .enum(['text', 'base64'])
    .default('text')
    .describe('`text`: the whole secret is the key. `base64`: its decoded bytes, without `whsec_`.'),
  signed: z
    .string()
    .max(maxSignedText)
    .describe(
      'The signed text, with {{body}} exactly once, {{timestamp}}, {{id}}, {{url}} and {{header:NAME}}.',
    ),
  timestampHeader: HeaderName.optional().describe(
    'The header with the time of the request. Without one, repeats are found for 24 hours.',
  ),
  timestampPrefix: Prefix.optional().describe(
    'For a header with several values: what comes before the timestamp.',
  ),
  timestampUnit: z.enum(['s', 'ms']).default('s'),
  windowMs: WindowMs.default(defaultWindowMs).describe(
    'How far the timestamp may be from the time of this service, in milliseconds.',
  ),
  idHeader: HeaderName.optional().describe('The header with {{id}}.'),
  eventName: EventNameSource,
  data: DataSource.default('body'),
  empty: EmptyBody.optional().describe('Without an event name; by default `refuse`.'),
}

const TemplateShape = z.object(templateFields)
export type SenderTemplate = z.infer<typeof TemplateShape>

/** Says why the two placeholders must not stand side by side. */
export const movableText = ([first, second]: readonly [string, string]) =>
  `Nothing separates ${first} from ${second}, so bytes could move from one to the other under the same signature. Put a text between them.`

/** Adds the issues of a template whose fields do not fit together. */
export function checkTemplate(template: SenderTemplate, context: z.RefinementCtx): void {
  const refuse = (field: keyof SenderTemplate, message: string) =>
    context.addIssue({ code: 'custom', path: [field], message })
  let parts: SignedPart[]
  try {
    parts = parseSignedText(template.signed)
  } catch (error) {
    if (!(error instanceof SignedTextError)) throw error
    refuse('signed', error.message)
    return
  }
  const { timestampHeader, timestampPrefix, separator, signatureHeader, idHeader } = template
  const signs = (wanted: SignedPart['kind']) => parts.some(({ kind }) => kind === wanted)
  if (signs('timestamp') && timestampHeader === undefined)
    refuse('timestampHeader', 'The signed text contains {{timestamp}}, so name the header that carries it.')
  if (!signs('timestamp') && timestampHeader !== undefined)
    refuse(
      'signed',
      'The signed text must contain {{timestamp}}: anybody can change a timestamp that is not signed.',
    )
  if (signs('id') && idHeader === undefined)
    refuse('idHeader', 'The signed text contains {{id}}, so name the header that carries it.')
  if (!signs('id') && idHeader !== undefined)
    refuse('signed', 'The signed text must contain {{id}}: anybody can change an id that is not signed.')
  const inSignature = timestampHeader?.toLowerCase() === signatureHeader.toLowerCase()
  if (inSignature && (timestampPrefix ?? '') === '')
    refuse(
      'timestampPrefix',
      'The timestamp is in the signature header, so say what comes before it: for example t=.',
    )
  if (inSignature && separator === undefined)
    refuse('separator', 'The timestamp is in the signature header, so say what separates the two.')
}
