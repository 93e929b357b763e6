import { describe, expect, test } from 'vitest'
import { createDraftStore } from '#renderer/ui/draft/draft-store.ts'
import { dayMs } from '#shared/durations.ts'

/** A browser's storage. */
function memory(setItem?: () => never): Storage & { names(): string[] } {
  const entries = new Map<string, string>()
  return {
    get length() {
      return entries.size
    },
    key: index => [...entries.keys()][index] ?? null,
    getItem: name => entries.get(name) ?? null,
    setItem: setItem ?? ((name, text) => void entries.set(name, text)),
    removeItem: name => void entries.delete(name),
    clear: () => entries.clear(),
    names: () => [...entries.keys()],
  }
}

/** A browser with one origin. `page` opens a page in a tab, whose session storage is given. */
function browser(local = memory()) {
  const clock = { now: 0 }
  let ids = 0
  const due: (() => void)[] = []
  return {
    clock,
    local,
    /** Lets the time pass after which changes are stored. */
    settle() {
      for (const act of due.splice(0)) act()
    },
    page: (session = memory(), build = 'one') => ({
      session,
      store: createDraftStore({
        ...{ local: () => local, session: () => session, build },
        now: () => clock.now,
        newId: () => `tab${++ids}`,
        later: act => void due.push(act),
      }),
    }),
  }
}

const fields = (values: Readonly<Record<string, unknown>>) => () => ({ values, before: {}, missing: [] })

describe('what is stored of a form', () => {
  test('is found by the same tab after a reload, once, and by no second tab, also not by a copy', () => {
    const { page, settle, clock } = browser()
    const first = page()
    clock.now = 5
    first.store.keep('shop', fields({ name: 'Oslo' }))
    settle()
    const second = page(memory())
    expect(second.store.take('shop')).toBeNull()
    // A copied tab has the session storage of a page that is open.
    expect(page(first.session).store.take('shop')).toBeNull()
    first.store.leave(false)
    const again = page(first.session)
    expect(second.store.waiting()).toEqual([])
    expect(again.store.waiting()).toEqual(['shop'])
    expect(again.store.take('shop')).toMatchObject({ at: 5, values: { name: 'Oslo' } })
    expect(again.store.take('shop')).toMatchObject({ values: { name: 'Oslo' } })
    again.store.leave(false)
    expect(page(first.session).store.take('shop')).toBeNull()
  })

  test('is what it is when it is stored: after a pause in typing, or when the page is left', () => {
    const { page, settle, local } = browser()
    const { store, session } = page()
    store.keep('shop', fields({ name: 'O' }))
    expect(local.names()).toEqual([])
    store.keep('shop', fields({ name: 'Os' }))
    settle()
    expect(local.names()).toHaveLength(1)
    store.keep('shop', fields({ name: 'Oslo' }))
    store.leave(false)
    expect(page(session).store.take('shop')?.values).toEqual({ name: 'Oslo' })
  })

  test('goes when the form is saved or closed, and after seven days', () => {
    const { page, settle, local, clock } = browser()
    const { store, session } = page()
    store.keep('shop', fields({ name: 'Oslo' }))
    store.keep('other', fields({ name: 'Bergen' }))
    settle()
    store.forget('shop')
    expect(local.names()).toEqual(['cc:draft:tab1:other'])
    store.leave(false)
    clock.now = 7 * dayMs - 1
    expect(page(memory()).store.take('other')).toBeNull()
    expect(local.names()).toHaveLength(1)
    clock.now = 7 * dayMs
    expect(page(session).store.take('other')).toBeNull()
    expect(local.names()).toEqual([])
  })

  test('goes in every tab when the user signs out, and comes again with the next sign-in to an open page', () => {
    const { page, settle, local } = browser()
    const { store } = page()
    const other = page()
    store.keep('shop', fields({ name: 'Oslo' }))
    other.store.keep('shop', fields({ name: 'Bergen' }))
    settle()
    other.store.forgetAll(false)
    store.forgetAll(true)
    expect(local.names()).toEqual([])
    store.keep('shop', fields({ name: 'Trondheim' }))
    settle()
    store.leave(false)
    expect(local.names()).toEqual([])
    store.resume()
    other.store.resume()
    expect(local.names()).toEqual(['cc:draft:tab1:shop'])
  })

  test('has a bounded size: of a larger form only the names, and the newest forms', () => {
    const { page, settle, clock, local } = browser()
    const { store, session } = page()
    store.keep('large', fields({ text: 'x'.repeat(300_000) }))
    settle()
    for (let form = 0; form < 60; form++) {
      clock.now++
      store.keep(`form ${form}`, fields({ form }))
    }
    settle()
    expect(local.getItem('cc:draft:tab1:large')).toContain('"missing":["text"]')
    store.leave(false)
    const again = page(session)
    expect(local.names()).toHaveLength(40)
    expect(again.store.take('form 19')).toBeNull()
    expect(again.store.take('form 20')).not.toBeNull()
  })

  test('is nothing where storage is full or blocked, or holds something else', () => {
    const full = memory(() => {
      throw new DOMException('full', 'QuotaExceededError')
    })
    const { page, settle } = browser(full)
    const { store } = page()
    store.keep('shop', fields({ name: 'Oslo' }))
    settle()
    expect(store.take('other')).toBeNull()

    const blocked = (): never => {
      throw new DOMException('blocked', 'SecurityError')
    }
    const without = createDraftStore({
      ...{ local: blocked, session: blocked, build: '', now: () => 0, newId: () => 'a', later: act => act() },
    })
    without.keep('shop', fields({ name: 'Oslo' }))
    without.leave(false)
    without.forgetAll(false)
    expect(without.take('other')).toBeNull()

    const spoilt = browser()
    const begun = spoilt.page()
    for (const text of ['', 'null', '{"at":1}', '{"at":"x"}', '['.repeat(9999)]) {
      spoilt.local.setItem('cc:draft:tab1:shop', text)
      expect(begun.store.take('shop')).toBeNull()
      begun.store.forget('shop')
    }
  })
})
