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
