import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { jsonOf, projectFolder, runCli } from '../support/cli-process.ts'
import { createConnection, serve, stop, storedEvents, temporaryFolder } from '../support/cli-service.ts'

describe('the bundle', () => {
  it('needs no node_modules: serves, stores, survives kill -9, sends', async () => {
    const folder = join(temporaryFolder(), 'elsewhere')
    build(folder)
    const entry = join(folder, 'cli.js')
    const bundle = { entry, cwd: tmpdir() }
    expect(readFileSync(entry, 'utf8').split('\n')[0]).toBe('#!/usr/bin/env node')
    if (process.platform !== 'win32') expect(statSync(entry).mode & 0o111).toBe(0o111)
    const version = await runCli(['--version'], bundle)
    expect(version).toEqual({ code: 0, stdout: `${packageJson.version}\n`, stderr: '' })

    const data = temporaryFolder()
    const first = await serve(data, [], bundle)
    expect(first.readyMs).toBeLessThan(2000)
    const { connectionId } = await createConnection(first, 'Shop')
    const send = ['send', 'one', '--connection', 'Shop', '--data-folder', data, '--json']
    expect(jsonOf(await runCli(send, bundle))).toMatchObject({ status: 200 })
    first.process.signal('SIGKILL')
    await first.process.ended

    const second = await serve(data, [], bundle)
    expect(await storedEvents(second, connectionId)).toHaveLength(1)
    expect((await fetch(`${second.dashboardUrl}/healthz`)).status).toBe(200)
    expect(await stop(second)).toBe(0)
  })
})

/** Builds into a folder, and copies the result out of reach of this project's node_modules. */
function build(target: string): void {
  const output = temporaryFolder()
  const vite = join(projectFolder, 'node_modules/vite/bin/vite.js')
  const args = [vite, 'build', '--config', 'vite.cli.config.ts', '--outDir', output, '--emptyOutDir']
  const built = spawnSync(process.execPath, args, { cwd: projectFolder, encoding: 'utf8' })
  expect(built.status, built.stderr).toBe(0)
  expect(readdirSync(output)).toEqual(
    expect.arrayContaining(['cli.js', 'event-log-reader.js', 'event-log-writer.js']),
  )
  cpSync(output, target, { recursive: true })
}
