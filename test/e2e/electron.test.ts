import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { _electron as playwright } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findElectron } from '../../scripts/start/find-electron.ts'
import { isBuilt } from '../../scripts/start/is-built.ts'
import { projectFolder, runCli } from '../support/cli-process.ts'
import { temporaryFolder } from '../support/cli-service.ts'

const electronPackage = join(projectFolder, 'node_modules', 'electron')
const { env } = process
const hasDisplay = process.platform !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)
const binary = findElectron(electronPackage, env)
if (binary === null)
  console.info('Skipped: the desktop app is not opened, as there is no Electron binary here.')
else if (!hasDisplay) console.info('Skipped: the desktop app is not opened, as there is no display here.')

test('the binary is found exactly where the installer has put one', () => {
  const executable = binary ?? join(electronPackage, 'path.txt')
  expect(existsSync(executable)).toBe(binary !== null)
})

if (binary !== null && hasDisplay) describe('the desktop app', () => openTheApp(binary))

function openTheApp(executablePath: string): void {
  test('opens its window on the service, which the command line reaches too', async () => {
    if (!(await isBuilt(projectFolder))) {
      const electronVite = join(projectFolder, 'node_modules/electron-vite/bin/electron-vite.js')
      execFileSync(process.execPath, [electronVite, 'build'], { cwd: projectFolder })
    }
    const data = join(temporaryFolder(), 'data')
    // Containers run as root, which Chromium's sandbox does not.
    const isRoot = process.getuid?.() === 0
    const app = await playwright.launch({
      executablePath,
      args: [...(isRoot ? ['--no-sandbox'] : []), projectFolder],
      env: { ...definedOf(env), CUSTOM_CONNECTION_DATA: data },
    })
    onTestFinished(() => app.close())
    const page = await app.firstWindow()
    expect(page.url()).toMatch(/^app:\/\/cc\//)
    expect(await page.title()).toContain('Custom Connection')
    const world = await page.evaluate(() => ({
      api: Reflect.get(globalThis, 'customConnection'),
      hasNode: 'require' in globalThis || 'process' in globalThis,
    }))
    expect(world).toEqual({
      api: { transport: 'message-port' },
      hasNode: false,
    })

    const sample = join(projectFolder, 'resources/samples/order-system.json')
    expect(await runCli(['import', sample, '--data', data])).toMatchObject({ code: 0 })
    await page.getByText('Sample order system').first().waitFor()
  })
}

function definedOf(variables: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
