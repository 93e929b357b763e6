import { toastDone, toastProblem } from './toasts.tsx'

/**
 * Copies a text to the clipboard and shows a toast with the result. Returns whether it was copied.
 *
 * @param text may be a promise, such as a credential that has to be fetched.
 * @param what names the text: “Tool name” becomes “Tool name copied”, or “The tool name was not copied”.
 * @param note is shown below the title.
 */
export async function copyWithToast(
  text: string | Promise<string>,
  what: string,
  note?: string,
  done = `${what} copied`,
): Promise<boolean> {
  try {
    await copyText(await text)
    toastDone(done, note)
    return true
  } catch (error) {
    toastProblem(`The ${what.charAt(0).toLowerCase()}${what.slice(1)} was not copied`, error)
    return false
  }
}

/** Copies a text to the clipboard. Throws if the browser does not allow it. */
async function copyText(text: string): Promise<void> {
  // A page loaded over plain HTTP from another computer has no `clipboard`, whatever the types say.
  if ('clipboard' in navigator) return navigator.clipboard.writeText(text)
  if (!copyBySelecting(text))
    throw new Error('The browser did not allow it. Select the text and copy it yourself.')
}

function copyBySelecting(text: string): boolean {
  const before = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  field.style.cssText = 'position: fixed; opacity: 0'
  // Inside an open dialog, which keeps the focus.
  const dialog = document.querySelector('[role="dialog"][aria-modal="true"]')
  const parent = dialog ?? document.body
  parent.append(field)
  field.select()
  const copied = document.execCommand('copy')
  field.remove()
  if (before instanceof HTMLElement) before.focus()
  return copied
}
