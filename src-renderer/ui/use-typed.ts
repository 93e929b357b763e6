import { useEffect, useRef, useState } from 'react'

/**
 * What stands in a field whose text is kept somewhere that has it only a moment later, as the address does. A field
 * that waited for it would lose letters, and the place at which they are typed.
 *
 * @param kept follows what is typed; what it becomes otherwise is shown in the field.
 */
export function useTyped(kept: string, keep: (text: string) => void): [string, (text: string) => void] {
  const [typed, setTyped] = useState(kept)
  /** What was typed and has not come back yet, oldest first; of fast typing not all of it does. */
  const underWay = useRef<string[]>([])
  useEffect(() => {
    const at = underWay.current.indexOf(kept)
    underWay.current.splice(0, at === -1 ? underWay.current.length : at + 1)
    if (at === -1) setTyped(kept)
  }, [kept])
  function type(text: string): void {
    underWay.current.push(text)
    setTyped(text)
    keep(text)
  }
  return [typed, type]
}
