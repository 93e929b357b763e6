import { EventEmitter } from 'node:events'
import { closeSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createLogger } from '#main/cli/logger.ts'
import { guardAgainstCrashes, openLogFile } from '#main/desktop/log-file.ts'
import { createLogRecorder } from '../support/log-recorder.ts'
import { newFolder } from './app-fixture.ts'
import { createElectronStandIn } from './electron-stand-in.ts'

describe('an uncaught error', () => {
  test('is logged, and an exception ends the app with a dialog', () => {
    const electron = createElectronStandIn()
    const process = new EventEmitter()
    const log = createLogRecorder()
    guardAgainstCrashes(process, electron.parts, log.logger)
    process.emit('unhandledRejection', new Error('of a promise'))
    expect(log.text()).toContain('of a promise')
    expect(electron.dialogs).toEqual([])

    process.emit('uncaughtException', new Error('of a handler'))
    expect(log.text()).toContain('of a handler')
    expect(electron.dialogs).toMatchObject([
      { message: 'Custom Connection has stopped', detail: expect.stringContaining('Code: internal_error') },
    ])
    expect(electron.calls).toEqual(['exit 1'])
  })
})

describe('the log of an installed app', () => {
  test('is appended to, and only its owner can read it', async () => {
    const dataFolder = join(await newFolder(), 'new')
    const file = join(dataFolder, 'desktop.log')
    for (const message of ['one', 'two']) {
      const fd = await openLogFile(dataFolder)
      createLogger('info', fd).info({ token: 'secret' }, message)
      closeSync(fd)
    }
    const lines = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(lines).toMatchObject([{ msg: 'one' }, { msg: 'two' }])
    expect(readFileSync(file, 'utf8')).not.toContain('secret')
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('is renamed when it is large', async () => {
    const dataFolder = await newFolder()
    const file = join(dataFolder, 'desktop.log')
    writeFileSync(file, 'x'.repeat(5 * 1024 * 1024 + 1))
    const fd = await openLogFile(dataFolder)
    writeSync(fd, 'new')
    closeSync(fd)
    expect(readFileSync(file, 'utf8')).toBe('new')
    expect(statSync(`${file}.old`).size).toBe(5 * 1024 * 1024 + 1)
  })

  test('does not hide a restored folder that waits for its last rename', async () => {
    const dataFolder = join(await newFolder(), 'data')
    mkdirSync(`${dataFolder}.restored`)
    writeFileSync(join(`${dataFolder}.restored`, 'config.json'), '{}')
    closeSync(await openLogFile(dataFolder))
    expect(readdirSync(dataFolder).sort()).toEqual(['config.json', 'desktop.log'])
  })

  test('goes to stderr if the file cannot be opened, so that the app can show the problem', async () => {
    const file = join(await newFolder(), 'file')
    writeFileSync(file, '')
    expect(await openLogFile(join(file, 'data'))).toBe(process.stderr.fd)
  })
})
