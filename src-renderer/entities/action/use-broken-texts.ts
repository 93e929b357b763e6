import { useState } from 'react'

/** Follows which arguments have texts that are not JSON. Returns their paths, and what tells of one. */
export function useBrokenTexts() {
  const [broken, setBroken] = useState<ReadonlySet<string>>(new Set())
  const onBroken = (path: string, isBroken: boolean) =>
    setBroken(before => {
      if (before.has(path) === isBroken) return before
      const others = [...before].filter(one => one !== path)
      return new Set(isBroken ? [...others, path] : others)
    })
  return { broken, onBroken }
}
