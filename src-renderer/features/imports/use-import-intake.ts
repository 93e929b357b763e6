import { useEffect, useEffectEvent, useState } from 'react'
import { isTyping } from '../../ui/match-keys.ts'
import { type Decoded, decodeImport, isTooLarge, sizeRefusal, tooLargeWords } from './decode-import.ts'

/**
 * The ways a text comes into the dialog besides typing: files, and what is pasted.
 *
 * @param options.isBlank whether there is no text yet: what is pasted anywhere is taken then.
 * @param options.isOpen whether texts are taken at all.
 * @param options.files dropped before the dialog was there.
 */
export function useImportIntake(options: {
  readonly isBlank: boolean
  readonly isOpen: boolean
  readonly files: readonly File[] | undefined
  readonly onText: (text: string, fileName: string | null) => void
}) {
  const { isBlank, isOpen, onText } = options
  /** Why what came last was not taken, and what to do. */
  const [refusal, setRefusal] = useState<string | null>(null)

  function take(text: string, fileName: string | null): void {
    setRefusal(null)
    onText(text, fileName)
  }
  async function takeFiles(files: readonly File[]): Promise<void> {
    const [file, ...others] = files
    if (file === undefined) return
    if (others.length > 0) return setRefusal('One file at a time: each is checked and previewed by itself.')
    const read = await readImportFile(file)
    if ('refused' in read) setRefusal(read.refused)
    else take(read.text, file.name)
  }
  function takePasted(text: string): void {
    if (text.trim() === '') setRefusal('There is no text on the clipboard.')
    else if (isTooLarge(text)) setRefusal(tooLargeWords('What was pasted'))
    else take(text, null)
  }
  async function pasteFromClipboard(): Promise<void> {
    let text: string
    try {
      text = await navigator.clipboard.readText()
    } catch {
      // Not allowed, or a page that came over plain HTTP and has no clipboard.
      return setRefusal(
        'The browser does not let the page read the clipboard. Paste with the keyboard instead.',
      )
    }
    takePasted(text)
  }

  const onPaste = useEffectEvent((event: ClipboardEvent) => {
    const text = event.clipboardData?.getData('text/plain') ?? ''
    const files = [...(event.clipboardData?.files ?? [])]
    const isOwn = text === '' ? files.length > 0 : isTooLarge(text) || (isBlank && !isTyping(event.target))
    if (!isOpen || !isOwn) return
    event.preventDefault()
    event.stopPropagation()
    if (text === '') void takeFiles(files)
    else takePasted(text)
  })
  const takeFirst = useEffectEvent(() => void takeFiles(options.files ?? []))
  useEffect(() => {
    takeFirst()
    const stop = new AbortController()
    window.addEventListener('paste', event => onPaste(event), { capture: true, signal: stop.signal })
    return () => stop.abort()
  }, [])

  return { refusal, forget: () => setRefusal(null), takeFiles, pasteFromClipboard }
}

/** Reads what was dropped, chosen or pasted: one file of text, checked before anything is sent anywhere. */
async function readImportFile(file: File): Promise<Decoded> {
  const refused = sizeRefusal(file.name, file.size)
  if (refused !== null) return { refused }
  try {
    return decodeImport(file.name, new Uint8Array(await file.arrayBuffer()))
  } catch {
    return { refused: `${file.name} cannot be read. It may be a folder, or have been moved.` }
  }
}
