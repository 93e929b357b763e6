import { useWindowEvent } from '@mantine/hooks'
import { useEffect, useEffectEvent, useState } from 'react'
import { isTyping } from '../../ui/match-keys.ts'
import { type Decoded, decodeImport, isTooLarge, sizeRefusal, tooLargeWords } from './decode-import.ts'

/**
 * Takes files and pasted texts into the dialog.
 *
 * @param options.isBlank whether the editor is empty. A text pasted anywhere is then taken.
 * @param options.isOpen false ignores pasted texts and files.
 * @param options.files files dropped before the dialog opened.
 */
export function useImportIntake(options: {
  readonly isBlank: boolean
  readonly isOpen: boolean
  readonly files: readonly File[] | undefined
  readonly onText: (text: string, fileName: string | null) => void
}) {
  const { isBlank, isOpen, onText } = options
  /** Why the last file or text was refused, and what to do. */
  const [refusal, setRefusal] = useState<string | null>(null)
  const [isReading, setIsReading] = useState(false)

  function take(text: string, fileName: string | null): void {
    setRefusal(null)
    onText(text, fileName)
  }
  async function takeFiles(files: readonly File[]): Promise<void> {
    const [file, ...others] = files
    if (file === undefined) return
    if (others.length > 0) return setRefusal('Import one file at a time.')
    setRefusal(null)
    setIsReading(true)
    const read = await readImportFile(file)
    setIsReading(false)
    if ('refused' in read) setRefusal(read.refused)
    else take(read.text, file.name)
  }
  function takePasted(text: string): void {
    if (text.trim() === '') setRefusal('The clipboard contains no text.')
    else if (isTooLarge(text)) setRefusal(tooLargeWords('The pasted text'))
    else take(text, null)
  }
  async function pasteFromClipboard(): Promise<void> {
    let text: string
    try {
      text = await navigator.clipboard.readText()
    } catch {
      // The user did not allow it, or the page was loaded over plain HTTP.
      return setRefusal(
        'The browser does not let the page read the clipboard. Paste with the keyboard instead.',
      )
    }
    takePasted(text)
  }

  function onPaste(event: ClipboardEvent): void {
    const text = event.clipboardData?.getData('text/plain') ?? ''
    const files = [...(event.clipboardData?.files ?? [])]
    const isOwn = text === '' ? files.length > 0 : isTooLarge(text) || (isBlank && !isTyping(event.target))
    if (!isOpen || !isOwn) return
    event.preventDefault()
    event.stopPropagation()
    if (text === '') void takeFiles(files)
    else takePasted(text)
  }
  useWindowEvent('paste', onPaste, capture)
  const takeFirst = useEffectEvent(() => void takeFiles(options.files ?? []))
  useEffect(() => takeFirst(), [])

  return {
    refusal,
    /** Whether a file is being read, so that the text is still that before it. */
    isReading,
    forget: () => setRefusal(null),
    takeFiles,
    pasteFromClipboard,
  }
}

const capture = { capture: true }

/** Reads a text file, or says why it is refused. Nothing is sent to the service. */
async function readImportFile(file: File): Promise<Decoded> {
  const refused = sizeRefusal(file.name, file.size)
  if (refused !== null) return { refused }
  try {
    return decodeImport(file.name, new Uint8Array(await file.arrayBuffer()))
  } catch {
    return { refused: `${file.name} cannot be read. It may be a folder, or it was moved.` }
  }
}
