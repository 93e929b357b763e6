import { toastDone, toastProblem } from './toasts.tsx'

/**
 * Puts a text on the clipboard and says so, or why not.
 *
 * @param text or what gives it, such as a credential that is asked for only now.
 * @param words.done “Tool name copied”.
 * @param words.note what is to be known of what was copied.
 */
export async function copyWithToast(
  text: string | Promise<string>,
  words: { readonly done: string; readonly failed: string; readonly note?: string },
): Promise<void> {
  try {
    await copyText(typeof text === 'string' ? text : await text)
    toastDone(words.done, words.note)
  } catch (error) {
    toastProblem(words.failed, error)
  }
}

/** Puts a text on the clipboard. Throws, with what to do instead, where the browser does not let the page. */
async function copyText(text: string): Promise<void> {
  // A page that came over plain HTTP from another computer has no `clipboard`, whatever the types say.
  if ('clipboard' in navigator) return navigator.clipboard.writeText(text)
  if (!copyBySelecting(text)) throw new Error('The browser did not let the page copy; copy it by hand.')
}

function copyBySelecting(text: string): boolean {
  const before = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  field.style.cssText = 'position: fixed; opacity: 0'
  // Inside the dialog that is open, if one is: it does not let go of the focus.
  const dialog = document.querySelector('[role="dialog"][aria-modal="true"]')
  const parent = dialog ?? document.body
  parent.append(field)
  field.select()
  const copied = document.execCommand('copy')
  field.remove()
  if (before instanceof HTMLElement) before.focus()
  return copied
}
