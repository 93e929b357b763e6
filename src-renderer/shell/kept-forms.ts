import { useEffect, useEffectEvent } from 'react'
import { useWorkspace } from '../entities/workspace/current-workspace.tsx'
import { type Overlay, useOverlays } from '../overlays.tsx'
import { drafts } from '../ui/draft/drafts.ts'
import { toastKept } from '../ui/toasts.tsx'

type Form = { readonly title: string; readonly overlay?: Overlay }

/** The dialogs whose texts are kept over a reload, by the start of the name under which they are stored. */
const forms: Readonly<Record<string, Form>> = {
  'new-connection': { title: 'New connection', overlay: { kind: 'new-connection' } },
  'new-workspace': { title: 'New workspace', overlay: { kind: 'new-workspace' } },
  'new-agent': { title: 'New agent' },
  'new-text': { title: 'New text' },
  'text-name': { title: 'Name of a text' },
  'workspace-name': { title: 'Name of a workspace' },
  'conversation-title': { title: 'Title of a conversation' },
  'edit-and-send': { title: 'Edit and send' },
  'crawler-urls': { title: 'URLs to try' },
  'new-token': { title: 'New client token' },
  'other-server': { title: 'Model server' },
  send: { title: 'Send test event' },
  'workflow-event': { title: 'Test with an event' },
  import: { title: 'Import' },
  'import-variable': { title: 'Variables of an import' },
  variable: { title: 'Environment variable' },
}

/** Those of them whose name goes on with a workspace. */
const ofWorkspaces: ReadonlySet<string> = new Set([
  ...['new-connection', 'new-token', 'new-agent', 'new-text', 'text-name'],
])

/** Milliseconds until the forms of the screen have taken what is theirs, and for which the others are named. */
const [readyMs, shownMs] = [2000, 30_000]

/** Names the dialogs that were open with unsaved text when the page was reloaded. They have it when they are opened. */
export function useKeptForms(): void {
  const { current, open } = useOverlays()
  const { workspace } = useWorkspace()
  const tell = useEffectEvent(() => {
    if (current !== null) return
    const kept = drafts.waiting().flatMap(name => {
      const [kind = '', of] = name.split('/')
      const isElsewhere = ofWorkspaces.has(kind) && of !== workspace?.workspaceId
      return isElsewhere ? [] : (forms[kind] ?? [])
    })
    const [first, ...others] = kept
    if (first === undefined) return
    const { overlay } = first
    const action = overlay && { label: 'Open it', run: () => open(overlay) }
    const names = kept.map(({ title }) => `“${title}”`).join(', ')
    toastKept(
      'What you typed is kept',
      `Open ${names} again to go on.`,
      shownMs,
      others.length === 0 ? action : undefined,
    )
  })
  useEffect(() => {
    const timer = setTimeout(() => tell(), readyMs)
    return () => clearTimeout(timer)
  }, [])
}
