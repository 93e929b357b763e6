import { useMantineColorScheme } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { Download, Keyboard, Layers, Moon, Plug, Plus, SlidersHorizontal, Sun } from 'lucide-react'
import { isDesktop } from '../../client/client.ts'
import { sectionTitles, settingsSections } from '../../settings-sections.ts'
import { useOverlays } from '../../shell/overlays.tsx'
import { useWorkspace } from '../workspaces/current-workspace.tsx'
import type { Entry } from './entry.ts'

/** What can be done from anywhere. */
export function useCommands(): Entry[] {
  const navigate = useNavigate()
  const { open } = useOverlays()
  const { setColorScheme } = useMantineColorScheme()
  const { workspace, workspaces, choose } = useWorkspace()
  const group = 'Commands' as const
  return [
    {
      id: 'new-connection',
      group,
      icon: <Plus size={16} />,
      text: 'New connection',
      keys: 'n',
      run: () => open({ kind: 'new-connection' }),
    },
    {
      id: 'import',
      group,
      icon: <Download size={16} />,
      text: 'Import',
      also: 'json openapi curl document',
      keys: 'i',
      run: () => open({ kind: 'import', request: {} }),
    },
    {
      id: 'go-connections',
      group,
      icon: <Plug size={16} />,
      text: 'Go to connections',
      keys: 'g c',
      run: () => void navigate({ to: '/connections' }),
    },
    ...settingsSections
      .filter(section => section !== 'desktop' || isDesktop)
      .map(section => ({
        id: `settings ${section}`,
        group,
        icon: <SlidersHorizontal size={16} />,
        text: `Settings: ${sectionTitles[section]}`,
        ...(section === 'environment' ? { also: 'variables' } : {}),
        run: () => void navigate({ to: '/settings/$section', params: { section } }),
      })),
    ...workspaces
      .filter(({ workspaceId }) => workspaceId !== workspace?.workspaceId)
      .map(({ workspaceId, name }) => ({
        id: `workspace ${workspaceId}`,
        group,
        icon: <Layers size={16} />,
        text: `Switch to workspace ${name}`,
        run: () => {
          choose(workspaceId)
          void navigate({ to: '/connections' })
        },
      })),
    {
      id: 'new-workspace',
      group,
      icon: <Layers size={16} />,
      text: 'New workspace',
      run: () => open({ kind: 'new-workspace' }),
    },
    {
      id: 'light',
      group,
      icon: <Sun size={16} />,
      text: 'Light appearance',
      also: 'theme',
      run: () => setColorScheme('light'),
    },
    {
      id: 'dark',
      group,
      icon: <Moon size={16} />,
      text: 'Dark appearance',
      also: 'theme',
      run: () => setColorScheme('dark'),
    },
    {
      id: 'shortcuts',
      group,
      icon: <Keyboard size={16} />,
      text: 'Keyboard shortcuts',
      keys: '?',
      run: () => open({ kind: 'shortcuts' }),
    },
  ]
}
