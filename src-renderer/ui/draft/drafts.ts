import { createDraftStore } from './draft-store.ts'

/** The store of the open page. */
export const drafts = createDraftStore({
  local: () => localStorage,
  session: () => sessionStorage,
  now: Date.now,
  newId: () => crypto.getRandomValues(new Uint32Array(2)).join('-'),
  build: document.querySelector<HTMLScriptElement>('script[type="module"]')?.src ?? '',
  later: (act, ms) => void setTimeout(act, ms),
})
addEventListener('pagehide', () => drafts.leave(false))
addEventListener('pageshow', () => drafts.leave(true))
document.addEventListener('visibilitychange', () => drafts.leave(document.visibilityState === 'visible'))
