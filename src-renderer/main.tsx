import './theme/styles.ts'
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { ModalsProvider } from '@mantine/modals'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { LucideProvider } from 'lucide-react'
import { StrictMode, useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { queries } from './client/query-client.ts'
import { WorkspaceProvider } from './entities/workspace/current-workspace.tsx'
import { OverlayProvider } from './overlays.tsx'
import { router } from './routes.tsx'
import { SessionGate } from './shell/session-gate.tsx'
import { printLight } from './theme/print-light.ts'
import { resolver, theme } from './theme/theme.ts'
import { ShortcutProvider } from './ui/shortcuts.tsx'
import { UndoProvider } from './ui/undo.tsx'

const rootElement = document.getElementById('root')
if (rootElement === null) throw new Error('The page has no root element.')

/** The screen of the address, also of one that was opened while the form for the token was shown. */
function Screens() {
  useEffect(() => {
    const { resolvedLocation } = router.state
    // Mounted again, the router shows its last screen and does not look at the address.
    if (resolvedLocation !== undefined && resolvedLocation.href !== router.latestLocation.href)
      void router.load()
  }, [])
  return <RouterProvider router={router} />
}

printLight()
createRoot(rootElement).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={resolver}
      defaultColorScheme="auto"
      colorSchemeManager={localStorageColorSchemeManager({ key: 'cc:color-scheme' })}
    >
      <LucideProvider size={14}>
        <QueryClientProvider client={queries}>
          <ModalsProvider>
            <Notifications position="bottom-right" limit={4} />
            <SessionGate>
              <ShortcutProvider>
                <OverlayProvider>
                  <UndoProvider>
                    <WorkspaceProvider>
                      <Screens />
                    </WorkspaceProvider>
                  </UndoProvider>
                </OverlayProvider>
              </ShortcutProvider>
            </SessionGate>
          </ModalsProvider>
        </QueryClientProvider>
      </LucideProvider>
    </MantineProvider>
  </StrictMode>,
)
