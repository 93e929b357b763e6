import type { FileHandle } from 'node:fs/promises'
import { type FileSystem, systemFiles } from '#main/lib/file-system.ts'

export type FaultyFiles = {
  readonly fs: FileSystem
  /** Lets calls fail from now on: the `first`-th (1 is the next) and, with `forGood`, all after it. */
  failAt(first: number, forGood?: boolean): void
  /** @returns the names of the calls since `failAt`. */
  calls(): string[]
}

/** Returns the real file system, in which any one call can be made to fail with EIO. */
export function faultyFiles(): FaultyFiles {
  let calls: string[] = []
  let fails = (_call: number) => false

  function step(name: string): void {
    calls.push(name)
    if (fails(calls.length)) throw Object.assign(new Error(`EIO: i/o error, ${name}`), { code: 'EIO' })
  }

  function watchHandle(handle: FileHandle): FileHandle {
    return new Proxy(handle, {
      get(target, property) {
        const member: unknown = Reflect.get(target, property)
        if (typeof member !== 'function') return member
        return async (...given: unknown[]) => {
          // A close that fails still closes the file.
          const closed = property === 'close' ? await target.close() : undefined
          step(`handle.${String(property)}`)
          return property === 'close' ? closed : Reflect.apply(member, target, given)
        }
      },
    })
  }

  const fs = new Proxy(
    { ...systemFiles },
    {
      get(target, property) {
        if (property === 'open') {
          return async (...given: Parameters<typeof systemFiles.open>) => {
            step('open')
            return watchHandle(await target.open(...given))
          }
        }
        const member: unknown = Reflect.get(target, property)
        if (typeof member !== 'function') return member
        return async (...given: unknown[]) => {
          step(String(property))
          return Reflect.apply(member, target, given)
        }
      },
    },
  )

  return {
    fs,
    failAt(first, forGood = false) {
      calls = []
      fails = call => (forGood ? call >= first : call === first)
    },
    calls: () => calls,
  }
}
