import { useNavigate } from '@tanstack/react-router'
import { useShortcut } from '../ui/shortcuts.tsx'
import { useOverlays } from './overlays.tsx'

const group = 'Everywhere'

/** The shortcuts that work on every screen (design: Keyboard). */
export function GlobalShortcuts() {
  const { open } = useOverlays()
  const navigate = useNavigate()
  const toConnections = () => void navigate({ to: '/connections' })
  const toSettings = () => void navigate({ to: '/settings/$section', params: { section: 'listener' } })
  useShortcut({ keys: 'mod+k', label: 'Search or run a command', group }, () => open({ kind: 'palette' }))
  useShortcut({ keys: '?', label: 'All shortcuts', group }, () => open({ kind: 'shortcuts' }))
  useShortcut({ keys: 'mod+,', label: 'Settings', group }, toSettings)
  useShortcut({ keys: 'g c', label: 'Go to connections', group }, toConnections)
  useShortcut({ keys: 'g s', label: 'Go to settings', group }, toSettings)
  useShortcut({ keys: 'i', label: 'Import', group }, () => open({ kind: 'import', request: {} }))
  return null
}
