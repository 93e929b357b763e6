import type { Page } from 'playwright-core'

/** Drags files over the middle of the window, waits for the cover that says what happens, and drops them. */
export async function dropFiles(
  page: Page,
  ...files: readonly { readonly name: string; readonly text: string }[]
): Promise<void> {
  await page.evaluate(`{
    const dataTransfer = new DataTransfer()
    for (const { name, text } of ${JSON.stringify(files)}) dataTransfer.items.add(new File([text], name))
    globalThis.dragged = type => {
      const event = new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true })
      document.elementFromPoint(innerWidth / 2, innerHeight / 2).dispatchEvent(event)
    }
    dragged('dragenter')
    dragged('dragover')
  }`)
  await page.getByText(/^Drop to /).waitFor()
  await page.evaluate('dragged("drop")')
}
