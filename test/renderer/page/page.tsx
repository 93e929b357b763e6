import '#renderer/theme/styles.ts'
import { MantineProvider } from '@mantine/core'
import { LucideProvider } from 'lucide-react'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { resolver, theme } from '#renderer/theme/theme.ts'
import { scenes } from './scenes.tsx'

const rootElement = document.getElementById('root')
if (rootElement === null) throw new Error('The page has no root element.')

const name = location.hash.slice(1)
const Scene = scenes[name]
if (Scene === undefined) throw new Error(`There is no scene ${name}.`)

createRoot(rootElement).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={resolver} defaultColorScheme="auto">
      <LucideProvider size={14}>
        <main style={{ height: '100%', padding: 16, background: 'var(--cc-surface)', overflow: 'auto' }}>
          <h1 className="sr">{name}</h1>
          <Scene />
        </main>
      </LucideProvider>
    </MantineProvider>
  </StrictMode>,
)
