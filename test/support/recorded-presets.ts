import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { Sender } from '#shared/model/sender/sender.ts'

const folder = join(import.meta.dirname, '../fixtures/senders/presets')

const Header = z.tuple([z.string(), z.string()])
const Answer = z.object({
  status: z.int(),
  type: z.string().nullable(),
  body: z.string(),
  header: Header.optional(),
})

export type Answer = z.infer<typeof Answer>

/** A recorded request of a provider and what becomes of it. */
const Recorded = z.object({
  /** The provider's own library that accepts the request and refuses the changed one, else the page that describes it. */
  verifiedBy: z.union([z.url(), z.string().regex(/^\S+ \d+\.\d+\.\d+$/)]),
  sender: Sender,
  secret: z.string().optional(),
  time: z.iso.datetime(),
  method: z.string(),
  target: z.string(),
  headers: z.array(Header),
  body: z.string(),
  events: z.array(z.object({ eventName: z.string(), data: z.unknown() })),
  /** Where the proof is: the name of a header, or how to remove it elsewhere. */
  proof: z.union([
    z.string(),
    z.object({ query: z.string() }),
    z.object({ path: z.string(), remove: z.string() }),
  ]),
  /** The text that is replaced in the body to break the proof; missing where it does not cover the body. */
  change: z.tuple([z.string(), z.string()]).optional(),
  /** Instead: the header that breaks the proof. */
  changeHeader: Header.optional(),
  /** Another public key. */
  wrongKey: z.string().optional(),
  /** The keys or certificates at the addresses that the service fetches them from. */
  fetched: z.record(z.string(), z.string()).optional(),
  wrongFetched: z.record(z.string(), z.string()).optional(),
  /** Requests with other headers that are refused, and why. */
  refuses: z.array(z.object({ why: z.string(), headers: z.array(Header) })).default([]),
  answer: Answer.optional(),
  /** A question of the provider, with the answer, and what is changed for a question that is refused. */
  questions: z
    .array(
      z.object({
        method: z.string(),
        target: z.string().optional(),
        headers: z.array(Header),
        body: z.string(),
        verifyToken: z.string().optional(),
        /** Whether the connection has no secret yet. */
        isHandshake: z.literal(true).optional(),
        answer: Answer,
        /** The name of its record, if it is that of a request without an event. */
        eventName: z.string().default('url_verification'),
        confirms: z.string().optional(),
        opens: z.string().optional(),
        refuses: z
          .object({ target: z.string(), headers: z.array(Header), body: z.string() })
          .partial()
          .optional(),
      }),
    )
    .default([]),
})
export type Recorded = z.infer<typeof Recorded>

const names = readdirSync(folder).map(file => file.replace('.json', ''))

const read = (name: string) => Recorded.parse(JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')))

/** The recorded request of each preset, or several. */
export const recordedPresets = names.map(name => ({ name, recorded: read(name) }))
