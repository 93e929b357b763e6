import { describe, expect, test } from 'vitest'
import { conflictsOf, type Fields, undoDraft } from '#renderer/ui/draft/draft.ts'
import { restoreDraft, storedFieldsOf } from '#renderer/ui/draft/stored-draft.ts'

type Header = { readonly name: string; readonly value: string }
type Shop = {
  readonly name: string
  readonly url: string
  readonly secret: string
  readonly headers: readonly Header[]
  readonly row?: number
}
const fields: Fields<Shop> = {
  name: 'name',
  url: 'base URL',
  secret: { label: 'secret', stored: null },
  headers: {
    label: 'headers',
    stored: headers => headers.map(({ name }) => ({ name, value: '' })),
    completed: (headers, base) =>
      headers.map(({ name }) => ({ name, value: base.find(one => one.name === name)?.value ?? '' })),
    missing: 'header values',
  },
}
const base: Shop = {
  name: 'Shop',
  url: 'https://a.example',
  secret: '',
  headers: [{ name: 'X', value: 'known' }],
}
const stored = (change: Partial<Shop>) => {
  const found = storedFieldsOf(fields, base, { ...base, ...change })
  if (found === null) throw new Error('Something was changed.')
  return found
}
const restored = (change: Partial<Shop>, now: Shop = base, isOwn = true) => {
  const { state, missing } = restoreDraft(fields, null, now, stored(change), isOwn)
  return { draft: state.history.present, conflicts: conflictsOf(fields, state), missing, state }
}

describe('a stored draft', () => {
  test('is what was changed, also in fields without a name', () => {
    expect(storedFieldsOf(fields, base, { ...base })).toBeNull()
    expect(stored({ name: 'Oslo', row: 7 }).values).toEqual({ name: 'Oslo', row: 7 })
    expect(restored({ name: 'Oslo', row: 7 }).draft).toEqual({ ...base, name: 'Oslo' })
    expect(restored({ name: 'Oslo', row: 7 }, { ...base, row: 1 }).draft.row).toBe(7)
  })

  test('has no secret and no value of a header, and names what to type again', () => {
    const headers = [...base.headers, { name: 'Y', value: 'canary' }]
    const found = stored({ secret: 'canary', headers })
    expect(JSON.stringify(found)).not.toMatch(/canary|known/)
    expect(found.missing).toEqual(['secret', 'header values'])
    expect(restored({ secret: 'canary', headers }).draft).toEqual({
      ...base,
      headers: [...base.headers, { name: 'Y', value: '' }],
    })
    expect(stored({ headers: [] }).missing).toEqual([])
  })

  test('takes what others have changed meanwhile, and asks about the fields that both have changed', () => {
    const now = { ...base, name: 'Bergen', url: 'https://b.example' }
    const { draft, conflicts } = restored({ name: 'Oslo' }, now)
    expect(draft).toEqual({ ...now, name: 'Oslo' })
    expect(conflicts).toEqual([{ key: 'name', label: 'name', mine: 'Oslo', theirs: 'Bergen' }])
    expect(restored({ name: 'Bergen' }, now).conflicts).toEqual([])
  })

  test('can be undone', () => {
    expect(undoDraft(restored({ name: 'Oslo' }).state).history.present).toEqual(base)
  })

  test('of another version of the dashboard is taken as far as it is plain', () => {
    const { draft, missing } = restored({ name: 'Oslo', headers: [] }, base, false)
    expect(draft).toEqual({ ...base, name: 'Oslo' })
    expect(missing).toEqual(['headers'])
  })
})

describe('credentials inside of texts', () => {
  const secretUrl = (host: string) => `https://ada:pa55@${host}.example/?api_key=canary&page=2`

  test('are never stored, and are named, but stay where the record has them and nobody has touched them', () => {
    const found = stored({ url: secretUrl('b') })
    expect(JSON.stringify(found)).not.toMatch(/canary|pa55/)
    expect(found.missing).toEqual(['credentials in the base URL'])
    expect(restored({ url: secretUrl('b') }).draft.url).toBe('https://b.example/?api_key=&page=2')

    const known = { ...base, url: secretUrl('a') }
    const renamed = storedFieldsOf(fields, known, { ...known, name: 'Oslo' })
    expect(JSON.stringify(renamed)).not.toMatch(/canary|pa55/)
    const moved = storedFieldsOf(fields, known, { ...known, url: 'https://a.example/' })
    expect(JSON.stringify(moved)).not.toMatch(/canary|pa55/)
    expect(moved?.missing).toEqual([])
    if (moved === null) throw new Error('The URL was changed.')
    const { state } = restoreDraft(fields, null, known, moved, true)
    expect(state.history.present.url).toBe('https://a.example/')
    expect(conflictsOf(fields, state)).toEqual([])
  })
})
