import { Menu, UnstyledButton } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { Check, ChevronsUpDown, Plus, Settings2 } from 'lucide-react'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { useOverlays } from '../../overlays.tsx'
import { Logo } from '../../ui/logo.tsx'
import classes from './workspace-menu.module.css'

/** Shows the open workspace and switches to another. */
export function WorkspaceMenu() {
  const { workspace, workspaces, choose } = useWorkspace()
  const { open } = useOverlays()
  const navigate = useNavigate()
  const name = workspace?.name ?? ''
  return (
    <Menu position="bottom-start" width={224} shadow="md">
      <Menu.Target>
        <UnstyledButton className={classes.target} aria-label={`Workspace: ${name}. Switch`}>
          <Logo />
          <span className="cut">{name}</span>
          <ChevronsUpDown />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {workspaces.map(({ workspaceId, name }) => (
          <Menu.Item
            key={workspaceId}
            data-autofocus={workspaceId === workspace?.workspaceId || undefined}
            onClick={() => {
              choose(workspaceId)
              void navigate({ to: '/connections' })
            }}
            rightSection={
              workspaceId === workspace?.workspaceId ? <Check aria-label="Open now" /> : undefined
            }
          >
            {name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<Plus />} onClick={() => open({ kind: 'new-workspace' })}>
          New workspace
        </Menu.Item>
        <Menu.Item
          leftSection={<Settings2 />}
          onClick={() => void navigate({ to: '/settings/$section', params: { section: 'workspaces' } })}
        >
          Rename and public URLs
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
