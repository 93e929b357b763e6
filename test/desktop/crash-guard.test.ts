import { EventEmitter } from 'node:events'
import { closeSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createLogger } from '#main/cli/logger.ts'
import { guardAgainstCrashes } from '#main/desktop/crash-guard.ts'
import { openLogFile } from '#main/desktop/log-file.ts'
import { createLogRecorder } from '../support/log-recorder.ts'
import { newFolder } from './app-fixture.ts'
import { createElectronStandIn } from './electron-stand-in.ts'

describe('what nobody has caught', () => {
  test('is logged; an exception ends the app, which says so', () => {
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
  test('is added to, for its owner alone', async () => {
    const file = join(await newFolder(), 'new', 'desktop.log')
    for (const message of ['one', 'two']) {
      const fd = openLogFile(file)
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

  test('is put aside when it is large', async () => {
    const file = join(await newFolder(), 'desktop.log')
    writeFileSync(file, 'x'.repeat(5 * 1024 * 1024 + 1))
    const fd = openLogFile(file)
    writeSync(fd, 'new')
    closeSync(fd)
    expect(readFileSync(file, 'utf8')).toBe('new')
    expect(statSync(`${file}.old`).size).toBe(5 * 1024 * 1024 + 1)
  })
})
