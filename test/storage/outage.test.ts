import { expect, it } from 'vitest'
import { outageOf, UnusableServer } from '#main/storage/outage.ts'
import { ServiceError } from '#shared/errors.ts'

/** Returns an error as the driver makes it from the server's. */
const ofServer = (code: string) => Object.assign(new Error('Failed.'), { severity: 'ERROR', code })
const ofSystem = (code: string) => Object.assign(new Error('Failed.'), { code })
const unavailable = (cause?: unknown) => new ServiceError('storage_unavailable', { cause })

it.each([
  ['a full disk of the server', ofServer('53100'), 'database_full'],
  ['a server without free connections', ofServer('53300'), 'no_connection'],
  ['a server without memory', ofServer('53200'), 'storage'],
  ['a read-only server', ofServer('25006'), 'former_primary'],
  ['a transaction that was idle', ofServer('25P03'), 'storage'],
  ['a lock that was not free in time', ofServer('55P03'), 'locked'],
  ['an object in use', ofServer('55006'), 'storage'],
  ['a statement that took too long', ofServer('57014'), 'storage'],
  ['a server that shuts down', ofServer('57P01'), 'storage'],
  ['a server that starts', ofServer('57P03'), 'storage'],
  ['a broken connection', ofServer('08006'), 'storage'],
  ['an error of the server’s system', ofServer('58030'), 'storage'],
  ['an internal error of the server', ofServer('XX000'), 'storage'],
  ['a database that was dropped', ofServer('3D000'), 'storage'],
  ['a wrong password', ofServer('28P01'), 'password'],
  ['a role that may not connect', ofServer('28000'), 'password'],
  ['a missing password', new UnusableServer('password', 'None.'), 'password'],
  ['a former primary', new UnusableServer('former_primary', 'Old.'), 'former_primary'],
  ['a full disk of this computer', ofSystem('ENOSPC'), 'disk_full'],
  ['a used up quota of this computer', ofSystem('EDQUOT'), 'disk_full'],
  ['an address where nothing listens', unavailable(ofSystem('ECONNREFUSED')), 'storage'],
  ['a code of the system that looks like an SQLSTATE', unavailable(ofSystem('EPIPE')), 'storage'],
  ['a connection that was given up', unavailable(new Error('Connection terminated')), 'storage'],
  ['invalid UTF-8', ofServer('22021'), null],
  ['a key that exists', ofServer('23505'), null],
  ['a table that does not exist', ofServer('42P01'), null],
  ['a text that is too long', ofServer('54000'), null],
  ['a deadlock', ofServer('40P01'), null],
  ['a mistake of the program', new TypeError('Failed.'), null],
  ['a storage that is closed', unavailable(), null],
  ['a limit', new ServiceError('unavailable', { cause: new Error('Too many runs are waiting.') }), null],
  ['a thrown text', 'Failed.', null],
])('says what %s means for events', (_, error, outage) => {
  expect(outageOf(error)).toBe(outage)
  // As those who write wrap it.
  if (!(error instanceof ServiceError) && error instanceof Error && 'severity' in error)
    expect(outageOf(new ServiceError('unavailable', { cause: unavailable(error) }))).toBe(outage)
})

it('ends with a chain of causes that goes in circles', () => {
  const error = new Error('Failed.')
  error.cause = error
  expect(outageOf(error)).toBe(null)
})
