import { toastDone, toastProblem } from './toasts.tsx'

/**
 * Puts a text on the clipboard and says so, or why not.
 *
 * @param text or a promise of it, such as a credential that is fetched only now.
 * @param what names it: “Tool name” becomes “Tool name copied”, or “The tool name was not copied”.
 * @param note says what is to be known of what was copied.
 */
export async function copyWithToast(
  text: string | Promise<string>,
  what: string,
  note?: string,
  done = `${what} copied`,
): Promise<void> {
  try {
    await copyText(await text)
    toastDone(done, note)
  } catch (error) {
    toastProblem(`The ${what.charAt(0).toLowerCase()}${what.slice(1)} was not copied`, error)
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
