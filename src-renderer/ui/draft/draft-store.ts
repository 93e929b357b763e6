import { z } from 'zod'
import { dayMs } from '#shared/durations.ts'
import type { StoredFields } from './stored-draft.ts'

/** How long a form is stored that nobody opens again. */
export const storedDays = 7
/** The bounds of what is stored, in characters and forms: a page has about five million characters. */
const maxCharacters = 256 * 1024
const maxForms = 40
/** Milliseconds after a change until it is stored. */
const storeAfterMs = 200

const prefix = 'cc:draft:'
const tabKey = 'cc:tab'
const ownerKey = 'cc:data'

const Stored = z.object({
  /** When it was changed last, in milliseconds since 1970. */
  at: z.number(),
  /** The version of the dashboard that stored it. */
  build: z.string(),
  values: z.record(z.string(), z.unknown()),
  before: z.record(z.string(), z.unknown()),
  missing: z.array(z.string()).readonly(),
})
export type Stored = Readonly<z.infer<typeof Stored>>

/** Changes to a form, read when they are stored; null if there are none any more. */
type Changes = { readonly at: number; readonly read: () => StoredFields | null }

type Env = {
  /** Throw if the browser blocks storage. */
  readonly local: () => Storage
  readonly session: () => Storage
  readonly now: () => number
  readonly newId: () => string
  readonly build: string
  /** Calls back after some milliseconds. */
  readonly later: (act: () => void, ms: number) => void
}

export type DraftStore = ReturnType<typeof createDraftStore>

/**
 * Stores the unsaved changes of the open forms of one tab, so that a reload finds them. What is stored of a form goes
 * when it is saved, discarded or closed, when the user signs out, and after seven days. Without storage, nothing is
 * stored.
 */
export function createDraftStore(env: Env) {
  const { now, build } = env
  const open = new Map<string, Changes>()
  const changed = new Set<string>()
  /** Forms that were read. They are deleted then: one that breaks its form does so only once. */
  const taken = new Map<string, Stored | null>()
  let isPaused = false
  let owner: string | null = null
  const tab = takeTab()
  const nameOf = (form: string) => `${prefix}${tab}:${form}`
  const isOld = (at: number) => now() - at >= storedDays * dayMs
  sweep()

  /**
   * Returns the id of this tab: after a reload the same one. It is stored only while the page is hidden or gone, because
   * the browser copies the session storage into a second tab.
   */
  function takeTab(): string {
    return (
      attempt(() => {
        const id = env.session().getItem(tabKey)
        env.session().removeItem(tabKey)
        return id
      }) ?? env.newId()
    )
  }

  /** Deletes what is too old or too much, also that of tabs that were closed. */
  function sweep(): void {
    attempt(() => {
      const local = env.local()
      const all = storedNames(local).map(name => ({ name, at: parse(local.getItem(name))?.at ?? 0 }))
      all.sort((one, other) => other.at - one.at)
      for (const [index, { name, at }] of all.entries())
        if (index >= maxForms || isOld(at)) local.removeItem(name)
    })
  }

  function parse(text: string | null): Stored | null {
    if (text === null || text.length > maxCharacters) return null
    return attempt(() => Stored.parse(JSON.parse(text)))
  }

  function write(form: string): void {
    const { at, read } = open.get(form) ?? {}
    const fields = read?.() ?? null
    attempt(() => {
      // First, so that nothing older stays if the storage is full.
      env.local().removeItem(nameOf(form))
      if (fields === null || at === undefined) return
      const text = JSON.stringify({ at, build, ...fields } satisfies Stored)
      const short = {
        at,
        build,
        values: {},
        before: {},
        missing: [...fields.missing, ...Object.keys(fields.values)],
      }
      env.local().setItem(nameOf(form), text.length > maxCharacters ? JSON.stringify(short) : text)
    })
  }

  /** Stores what has changed. */
  function flush(): void {
    if (isPaused) return
    for (const form of changed) write(form)
    changed.clear()
  }

  return {
    /** Returns what an earlier page of this tab stored of a form; null if nothing. */
    take(form: string): Stored | null {
      const known = taken.get(form)
      if (known !== undefined || open.has(form)) return known ?? null
      const stored = attempt(() => {
        const text = env.local().getItem(nameOf(form))
        env.local().removeItem(nameOf(form))
        return parse(text)
      })
      const found = stored === null || isOld(stored.at) ? null : stored
      taken.set(form, found)
      return found
    },
    /** Returns the names of the forms that an earlier page of this tab stored, and that no form has taken yet. */
    waiting: (): readonly string[] =>
      attempt(() =>
        storedNames(env.local())
          .filter(name => name.startsWith(nameOf('')))
          .map(name => name.slice(nameOf('').length))
          .filter(form => !open.has(form)),
      ) ?? [],
    /** Whether this version of the dashboard stored something. */
    isOwn: (stored: Stored) => stored.build === build,
    /** Stores the changes of a form soon, and again after each call. @param at when they were made; now by default. */
    keep(form: string, read: Changes['read'], at = now()): void {
      taken.delete(form)
      open.set(form, { at, read })
      if (changed.size === 0) env.later(flush, storeAfterMs)
      changed.add(form)
    },
    /** Deletes what is stored of a form. */
    forget(form: string): void {
      taken.delete(form)
      open.delete(form)
      changed.delete(form)
      attempt(() => env.local().removeItem(nameOf(form)))
    },
    flush,
    /** Stores nothing until `resume`, after what is there now. */
    pause(): void {
      flush()
      isPaused = true
    },
    resume(): void {
      isPaused = false
      for (const form of open.keys()) changed.add(form)
      flush()
    },
    /**
     * Deletes all that any tab has stored of forms, and all that this tab remembers. Stores nothing until `resume`.
     *
     * @param staysOpen whether the forms of this page stay open, to be stored again then.
     */
    forgetAll(staysOpen: boolean): void {
      isPaused = true
      taken.clear()
      if (!staysOpen) open.clear()
      attempt(() => env.session().clear())
      attempt(() => {
        for (const name of storedNames(env.local())) env.local().removeItem(name)
      })
    },
    /**
     * Says whose data the page shows from now on. What was stored and remembered of other data is deleted.
     *
     * @returns whether the page has shown other data until now.
     */
    claim(next: string): boolean {
      const before = owner ?? attempt(() => env.local().getItem(ownerKey))
      const isOther = owner !== null && owner !== next
      owner = next
      if (before !== null && before !== next) {
        for (const known of [taken, open, changed]) known.clear()
        attempt(() => env.session().clear())
        attempt(() => {
          for (const name of storedNames(env.local())) env.local().removeItem(name)
        })
      }
      attempt(() => env.local().setItem(ownerKey, next))
      return isOther
    },
    /** Prepares for the end of the page, or for being read again without one. @param isThere whether it is seen. */
    leave(isThere: boolean): void {
      flush()
      attempt(() => (isThere ? env.session().removeItem(tabKey) : env.session().setItem(tabKey, tab)))
    },
  }
}

function storedNames(storage: Storage): string[] {
  const names = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '')
  return names.filter(name => name.startsWith(prefix))
}

/** Returns null if something throws: storage is blocked or full, or holds what is not a draft. */
function attempt<T>(act: () => T): T | null {
  try {
    return act()
  } catch {
    return null
  }
}
