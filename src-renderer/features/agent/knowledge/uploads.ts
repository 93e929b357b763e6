/** A file on its way to the service. */
export type Upload = {
  readonly id: number
  readonly name: string
  /** From 0 to 1; null while it waits for earlier files. */
  readonly progress: number | null
}

/** A file that was not added. */
export type RefusedFile = { readonly id: number; readonly name: string; readonly reason: string }

type State = { readonly uploads: readonly Upload[]; readonly refused: readonly RefusedFile[] }
type Send = (file: File, onProgress: (progress: number) => void) => Promise<void>

/** Refused files beyond this number are forgotten, the oldest first. */
const mostRefused = 20

/**
 * Sends files one after the other. It outlives the page, so that leaving the page does not stop it.
 *
 * @param reasonOf returns why a file was not added, and what to do.
 */
export function createUploads(reasonOf: (error: unknown) => string) {
  let state: State = { uploads: [], refused: [] }
  let nextId = 0
  let last = Promise.resolve()
  const listeners = new Set<() => void>()
  function set(change: Partial<State>): void {
    state = { ...state, ...change }
    for (const listener of listeners) listener()
  }
  const setProgress = (id: number, progress: number) =>
    set({ uploads: state.uploads.map(one => (one.id === id ? { ...one, progress } : one)) })

  async function sendOne(id: number, file: File, send: Send): Promise<void> {
    setProgress(id, 0)
    try {
      await send(file, progress => setProgress(id, progress))
    } catch (error) {
      const refused = [...state.refused, { id, name: file.name, reason: reasonOf(error) }]
      set({ refused: refused.slice(-mostRefused) })
    }
    set({ uploads: state.uploads.filter(one => one.id !== id) })
  }

  return {
    snapshot: () => state,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    /** Resolves when the files are added or refused. */
    add(files: readonly File[], send: Send): Promise<void> {
      const added = files.map(file => ({ file, id: nextId++ }))
      const waiting = added.map(({ file, id }) => ({ id, name: file.name, progress: null }))
      set({ uploads: [...state.uploads, ...waiting] })
      for (const { file, id } of added) last = last.then(() => sendOne(id, file, send))
      return last
    },
    dismiss: (id: number) => set({ refused: state.refused.filter(one => one.id !== id) }),
  }
}
export type Uploads = ReturnType<typeof createUploads>
