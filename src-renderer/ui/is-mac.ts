/** Whether the dashboard runs on macOS, whose shortcuts use ⌘. */
export const isMac = /mac/i.test(navigator.platform)
