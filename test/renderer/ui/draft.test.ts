import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  accept,
  changesOf,
  conflictsOf,
  type DraftState,
  editDraft,
  type Fields,
  keepMine,
  labelsOf,
  merge,
  mergeEntries,
  rebase,
  saveMerging,
  startDraft,
  takeTheirs,
  undoDraft,
} from '#renderer/ui/draft/draft.ts'

type Shop = {
  readonly name: string
  readonly url: string
  readonly tags: readonly string[]
  readonly row?: number
}
type Saved = { readonly version: number; readonly shop: Shop }
const fields: Fields<Shop> = {
  name: 'name',
  url: { label: 'base URL', saved: url => url.trim() },
  tags: { label: 'tags', show: (tags, before) => `${tags.length - before.length} more` },
}
const base: Shop = { name: 'Shop', url: 'https://a.example', tags: [] }
const start = (shop = base) => startDraft({ version: 1, shop }, shop)
const edit = (state: DraftState<Shop, Saved>, change: Partial<Shop>, tag?: string | null) =>
  editDraft(state, before => ({ ...before, ...change }), tag)
const savedElsewhere = (state: DraftState<Shop, Saved>, change: Partial<Shop>) => {
  const shop = { ...state.base, ...change }
  return rebase(fields, state, { version: state.record.version + 1, shop }, shop)
}
const draftOf = ({ history }: DraftState<Shop, Saved>) => history.present

describe('the changes of a draft', () => {
  test('are the fields that are saved as something else, in the order of the form', () => {
    expect(changesOf(fields, base, { ...base, tags: ['a'], name: 'Other' })).toEqual(['name', 'tags'])
    expect(changesOf(fields, base, { ...base, url: ' https://a.example ', tags: [] })).toEqual([])
    expect(changesOf(fields, base, { ...base, row: 7 })).toEqual([])
  })

  test('are named by their labels', () => {
    expect(labelsOf(fields, ['name', 'url'])).toBe('name, base URL')
    const many: Fields<Record<'a' | 'b' | 'c' | 'd' | 'e' | 'f', number>> = {
      ...{ a: 'colours', b: 'colours', c: 'corner', d: 'logo', e: 'opening', f: 'history' },
    }
    expect(labelsOf(many, ['a', 'b', 'c', 'd', 'e'])).toBe('colours, corner, logo, opening')
    expect(labelsOf(many, ['a', 'b', 'c', 'd', 'e', 'f'])).toBe('colours, corner, logo and 2 more')
  })
})

describe('a change from elsewhere', () => {
  const shops = fc.record({
    name: fc.constantFrom('a', 'b', 'c'),
    url: fc.constantFrom('a', ' a', 'b'),
    tags: fc.constantFrom([], ['x']),
  })

  test('never loses what was typed, and never hides what was saved elsewhere', () => {
    fc.assert(
      fc.property(shops, shops, shops, (before, mine, theirs) => {
        const { draft, conflicts } = merge(fields, before, mine, theirs)
        for (const key of ['name', 'url', 'tags'] as const) {
          const isMine = changesOf(fields, before, mine).includes(key)
          const differs = changesOf(fields, mine, theirs).includes(key)
          const isTheirs = changesOf(fields, before, theirs).includes(key)
          expect(conflicts.includes(key)).toBe(isMine && isTheirs && differs)
          expect(draft[key]).toEqual(!isMine && isTheirs ? theirs[key] : mine[key])
        }
      }),
    )
  })

  test('to another field is merged silently, and undo does not take it back', () => {
    const state = savedElsewhere(edit(start(), { name: 'Mine' }, null), { url: 'https://b.example' })
    expect(draftOf(state)).toEqual({ ...base, name: 'Mine', url: 'https://b.example' })
    expect(changesOf(fields, state.base, draftOf(state))).toEqual(['name'])
    expect(conflictsOf(fields, state)).toEqual([])
    expect(draftOf(undoDraft(state))).toEqual({ ...base, url: 'https://b.example' })
  })

  test('to the same value is not a conflict', () => {
    expect(conflictsOf(fields, savedElsewhere(edit(start(), { name: 'Same' }), { name: 'Same' }))).toEqual([])
  })

  test('to the same field is a conflict with both values, which either side can win', () => {
    const state = savedElsewhere(edit(start(), { name: 'Mine', tags: ['a'] }), {
      name: 'Theirs',
      tags: ['b', 'c'],
    })
    expect(conflictsOf(fields, state)).toEqual([
      { key: 'name', label: 'name', mine: 'Mine', theirs: 'Theirs' },
      { key: 'tags', label: 'tags', mine: '1 more', theirs: '2 more' },
    ])
    const kept = keepMine(state, 'name')
    expect(conflictsOf(fields, kept).map(({ key }) => key)).toEqual(['tags'])
    expect(draftOf(kept).name).toBe('Mine')
    const taken = takeTheirs(kept, 'tags', true)
    expect(conflictsOf(fields, taken)).toEqual([])
    expect(draftOf(taken)).toEqual({ ...base, name: 'Mine', tags: ['b', 'c'] })
    expect(draftOf(undoDraft(taken)).tags).toEqual(['a'])
  })

  test('that goes back to what the draft was made from ends the conflict, and so does typing the other value', () => {
    const state = savedElsewhere(edit(start(), { name: 'Mine' }), { name: 'Theirs' })
    expect(conflictsOf(fields, savedElsewhere(state, { name: base.name }))).toEqual([])
    expect(conflictsOf(fields, edit(state, { name: 'Theirs' }))).toEqual([])
    expect(conflictsOf(fields, savedElsewhere(state, { url: 'https://c.example' }))).toHaveLength(1)
  })

  test('shows long values from their first difference', () => {
    const long = 'x'.repeat(2000)
    const state = savedElsewhere(edit(start(), { name: `${long}mine` }), { name: `${long}theirs` })
    const [{ mine, theirs } = { mine: '', theirs: '' }] = conflictsOf(fields, state)
    expect([mine, theirs]).toEqual([`…${'x'.repeat(40)}mine`, `…${'x'.repeat(40)}theirs`])
  })
})

describe('a field of independent parts', () => {
  const texts: Fields<{ readonly texts: Readonly<Record<string, string>> }> = {
    texts: { label: 'texts', merge: mergeEntries },
  }
  type Texts = Readonly<Record<string, string>>
  const merged = (before: Texts, mine: Texts, theirs: Texts) =>
    merge(texts, { texts: before }, { texts: mine }, { texts: theirs })

  test.each([
    ['other parts', { a: '1', b: '1' }, { a: '2', b: '1' }, { a: '1', b: '2' }, { a: '2', b: '2' }],
    ['parts that are new', {}, { constructor: 'x' }, { b: 'y' }, { b: 'y', constructor: 'x' }],
    ['a part that is deleted here', { a: '1', b: '1' }, { b: '1' }, { a: '1', b: '2' }, { b: '2' }],
    ['a part that is deleted there', { a: '1', b: '1' }, { a: '1', b: '2' }, { b: '1' }, { b: '2' }],
    ['the same part to the same text', { a: '1' }, { a: '2', b: '1' }, { a: '2' }, { a: '2', b: '1' }],
  ])('merges changes of %s', (_case, before, mine, theirs, expected) => {
    expect(merged(before, mine, theirs)).toEqual({ draft: { texts: expected }, conflicts: [] })
  })

  test.each([
    ['changed to different texts', { a: '1' }, { a: '2' }, { a: '3' }],
    ['deleted here and changed there', { a: '1' }, {}, { a: '3' }],
    ['changed here and deleted there', { a: '1' }, { a: '2' }, {}],
  ])('is in conflict if one part is %s', (_case, before, mine, theirs) => {
    expect(merged(before, mine, theirs)).toEqual({ draft: { texts: mine }, conflicts: ['texts'] })
  })
})

/** Saves like the service, after others have made each of these changes. */
function service(elsewhere: readonly Partial<Shop>[]) {
  let now: Saved = { version: 1, shop: base }
  const waiting = [...elsewhere]
  const sent: (readonly string[])[] = []
  return {
    sent,
    now: () => now,
    how: {
      fields,
      draftOf: ({ shop }: Saved) => shop,
      async save(draft: Shop, changed: readonly (keyof Shop)[], { version }: Saved) {
        sent.push(changed)
        const change = waiting.shift()
        if (change !== undefined) now = { version: now.version + 1, shop: { ...now.shop, ...change } }
        if (version !== now.version) throw new Changed(now)
        const next = Object.fromEntries(changed.map(key => [key, draft[key]]))
        now = { version: version + 1, shop: { ...now.shop, ...next } }
        return now
      },
      currentOf: (error: unknown) => (error instanceof Changed ? error.current : null),
    },
  }
}
class Changed extends Error {
  readonly current: Saved
  constructor(current: Saved) {
    super('changed')
    this.current = current
  }
}

describe('saving a draft', () => {
  test('sends only the changed fields, and again with what others changed meanwhile', async () => {
    const { how, now, sent } = service([{ url: 'https://b.example' }, { tags: ['theirs'] }])
    const state = edit(start(), { name: 'Mine' })
    const outcome = await saveMerging(how, draftOf(state), state)
    const expected = { name: 'Mine', url: 'https://b.example', tags: ['theirs'] }
    expect(sent).toEqual([['name'], ['name'], ['name']])
    expect(now().shop).toEqual(expected)
    expect(outcome.sent).toEqual(expected)
    expect(outcome.saved).toBe(now())
    // An edit made while it was saved stays.
    const meanwhile = edit(state, { tags: ['mine'] })
    const merged = rebase(fields, meanwhile, outcome.record, outcome.base)
    const after = accept(fields, merged, outcome.sent, now(), now().shop)
    expect(draftOf(after)).toEqual({ ...expected, tags: ['mine'] })
    expect(conflictsOf(fields, after).map(({ key }) => key)).toEqual(['tags'])
  })

  test('stops at a conflict, and saves the value that the user keeps', async () => {
    const { how, now } = service([{ name: 'Theirs' }])
    const state = edit(start(), { name: 'Mine', url: 'https://mine.example' })
    const outcome = await saveMerging(how, draftOf(state), state)
    expect(outcome.saved).toBeNull()
    expect(now().shop).toEqual({ ...base, name: 'Theirs' })
    const merged = rebase(fields, state, outcome.record, outcome.base)
    expect(conflictsOf(fields, merged).map(({ key }) => key)).toEqual(['name'])
    const kept = keepMine(merged, 'name')
    await saveMerging(how, draftOf(kept), kept)
    expect(now().shop).toEqual({ ...base, name: 'Mine', url: 'https://mine.example' })
  })

  test('needs no second request if others have made the same change', async () => {
    const { how, now, sent } = service([{ name: 'Same' }])
    const state = edit(start(), { name: 'Same' })
    expect((await saveMerging(how, draftOf(state), state)).saved).toBe(now())
    expect(sent).toHaveLength(1)
  })

  test('gives up with the refusal if others are faster each time', async () => {
    const { how } = service(Array.from({ length: 50 }, (_, index) => ({ tags: [`${index}`] })))
    const state = edit(start(), { name: 'Mine' })
    await expect(saveMerging(how, draftOf(state), state)).rejects.toThrow(Changed)
  })

  test('takes over what the service made of the values, except of those edited since', () => {
    const sent = { ...base, name: ' Mine ', url: ' https://b.example ' }
    const meanwhile = edit(edit(start(), sent), { name: ' Mine and more' })
    const shop = { ...base, name: 'Mine', url: 'https://b.example' }
    const after = accept(fields, meanwhile, sent, { version: 2, shop }, shop)
    expect(draftOf(after).name).toBe(' Mine and more')
    expect(changesOf(fields, after.base, draftOf(after))).toEqual(['name'])
    expect(conflictsOf(fields, after)).toEqual([])
  })
})
