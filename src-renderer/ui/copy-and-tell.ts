import { copyText } from './copy-text.ts'
import { toastDone, toastProblem } from './toasts.tsx'

/**
 * Puts a text on the clipboard and says so, or why not.
 *
 * @param text or what gives it, such as a credential that is asked for only now.
 * @param words.done “Tool name copied”.
 * @param words.note what is to be known of what was copied.
 */
export async function copyAndTell(
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
