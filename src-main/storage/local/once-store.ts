import { mostOnce, type OnceStore } from '../once-store.ts'

type Kept = { readonly text: string; readonly expiresAt: number }

/** Keeps texts in memory, since one process has this storage. @param clock milliseconds since 1970. */
export function createOnceStore(clock: () => number): OnceStore {
  const kinds = new Map<string, Map<string, Kept>>()
  return {
    async put(kind, key, text, lifeMs) {
      const kept = kinds.get(kind) ?? new Map<string, Kept>()
      kinds.set(kind, kept)
      // Deleted first, so that it becomes the newest.
      kept.delete(key)
      for (const [oldest, { expiresAt }] of kept) {
        if (expiresAt > clock() && kept.size < mostOnce) break
        kept.delete(oldest)
      }
      kept.set(key, { text, expiresAt: clock() + lifeMs })
    },
    async take(kind, key) {
      const kept = kinds.get(kind)
      const found = kept?.get(key)
      kept?.delete(key)
      return found === undefined || found.expiresAt <= clock() ? null : found.text
    },
  }
}
