import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createLogger } from '#main/cli/logger.ts'
import { ServiceError } from '#shared/errors.ts'
import { temporaryFolder } from '../support/cli-service.ts'

it('names the kind of an error, and says its cause once', () => {
  const file = join(temporaryFolder(), 'log')
  const fd = openSync(file, 'w')
  const cause = new Error('disk full')
  createLogger('info', fd).error({ err: new ServiceError('storage_unavailable', { cause }) }, 'Failed')
  closeSync(fd)
  const { err } = JSON.parse(readFileSync(file, 'utf8'))
  expect(err).toMatchObject({ type: 'ServiceError', code: 'storage_unavailable' })
  expect(err.message.split('disk full')).toHaveLength(2)
})

it('is a line for people on a terminal, which a value from outside cannot steer, and JSON elsewhere', () => {
  const file = join(temporaryFolder(), 'log')
  const fd = openSync(file, 'w')
  const fields = {
    listenerUrl: 'http://127.0.0.1:8787',
    pid: 7,
    path: '/a b\u001b[2J\u009b2J',
    token: 'hidden',
  }
  createLogger('info', fd, true).info(fields, 'Accepting requests\nand more')
  createLogger('info', fd).info({}, 'Stopping')
  closeSync(fd)
  const [pretty = '', plain = ''] = readFileSync(file, 'utf8').split('\n')
  expect(pretty).toMatch(
    /^\d\d:\d\d:\d\d INFO {2}Accepting requests\\u000aand more listenerUrl=http:\/\/127\.0\.0\.1:8787 pid=7 path="\/a b\\u001b\[2J\\u009b2J" token=/,
  )
  expect(pretty).not.toContain('hidden')
  expect(JSON.parse(plain)).toMatchObject({ level: 'info', msg: 'Stopping' })
})
