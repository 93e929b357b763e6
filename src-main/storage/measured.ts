import { z } from 'zod'

/** The newest offsets of a clock, and the newest events of a name, that are kept. */
const mostOffsets = 50
export const mostCompared = 20
/** The event names of a connection that are compared; the least recent one makes room. */
const mostNames = 20
/** The fields of an event that are listed. */
export const mostFields = 20
/** In characters. */
export const mostPath = 120
export const mostValue = 64

const Value = z.object({
  type: z.string().max(10),
  /** As JSON; null if nothing of the connection is stored. */
  text: z.string().max(mostValue).nullable(),
})

const ComparedField = z.object({
  path: z.string().max(mostPath),
  change: z.enum(['missing', 'added', 'type']),
  /** Null where the field is absent. */
  sample: Value.nullable(),
  now: Value.nullable(),
})
export type ComparedField = z.infer<typeof ComparedField>

const Compared = z.object({
  eventName: z.string(),
  sample: z.string().describe('The digest of the sample.'),
  lastAt: z.int(),
  differs: z
    .string()
    .regex(/^[01]{1,20}$/)
    .describe('Of the newest events, oldest first: 1 for one that differs.'),
  fields: z.array(ComparedField).max(mostFields).describe('Of the newest event that differs.'),
})
export type Compared = z.infer<typeof Compared>

/** The measurements of the newest events of a connection. */
export const Measured = z.object({
  offsetsMs: z
    .array(z.int())
    .max(mostOffsets)
    .describe("The sender's clock without this one's, of the newest events, oldest first."),
  payloads: z.array(Compared).max(mostNames),
})
export type Measured = z.infer<typeof Measured>

export const notMeasured: Measured = { offsetsMs: [], payloads: [] }

/** Adds the offset of an event. */
export const withOffset = (before: Measured, offsetMs: number): Measured => ({
  ...before,
  offsetsMs: [...before.offsetsMs, Math.round(offsetMs)].slice(-mostOffsets),
})

/** Adds an event that was compared with its sample. What was compared with another sample goes. */
export function withCompared(
  before: Measured,
  event: Pick<Compared, 'eventName' | 'sample' | 'fields'> & { readonly at: number },
): Measured {
  const { eventName, sample, fields, at } = event
  const known = before.payloads.find(one => one.eventName === eventName && one.sample === sample)
  const isDifferent = fields.length > 0
  const next: Compared = {
    ...{ eventName, sample, lastAt: at },
    differs: ((known?.differs ?? '') + (isDifferent ? '1' : '0')).slice(-mostCompared),
    fields: isDifferent ? fields : (known?.fields ?? []),
  }
  return { ...before, payloads: newest([...without(before.payloads, eventName), next]) }
}

/** The last merge of each. Measurements never change, and the alerts ask for all of them again and again. */
const merges = new WeakMap<Measured, { readonly of: Measured; readonly merged: Measured }>()

/** Returns what two nodes have measured. Which of the two is newer is unknown, so each gives about half. */
export function mergeMeasured(one: Measured, two: Measured): Measured {
  if (one === notMeasured) return two
  const known = merges.get(one)
  if (known?.of === two) return known.merged
  const merged = mergeBoth(one, two)
  merges.set(one, { of: two, merged })
  return merged
}

function mergeBoth(one: Measured, two: Measured): Measured {
  const names = new Set([...one.payloads, ...two.payloads].map(({ eventName }) => eventName))
  return {
    offsetsMs: halves(one.offsetsMs, two.offsetsMs, mostOffsets),
    payloads: newest(
      Array.from(names).flatMap(eventName => {
        const ones = [one, two].flatMap(of => of.payloads.find(each => each.eventName === eventName) ?? [])
        const [late, early] = ones.sort((a, b) => b.lastAt - a.lastAt)
        if (late === undefined) return []
        if (early?.sample !== late.sample) return [late]
        const differs = halves([...early.differs], [...late.differs], mostCompared).join('')
        return [{ ...late, differs, fields: late.fields.length > 0 ? late.fields : early.fields }]
      }),
    ),
  }
}

const without = (payloads: readonly Compared[], eventName: string) =>
  payloads.filter(one => one.eventName !== eventName)

const newest = (payloads: Compared[]) => payloads.sort((a, b) => a.lastAt - b.lastAt).slice(-mostNames)

function halves<Item>(ones: readonly Item[], twos: readonly Item[], most: number): Item[] {
  const ofOne = Math.min(ones.length, Math.max(most / 2, most - twos.length))
  const last = (all: readonly Item[], count: number) => all.slice(Math.max(0, all.length - count))
  return [...last(ones, ofOne), ...last(twos, most - ofOne)]
}
