import { expect, test } from 'vitest'
import { replyMessage } from '#main/workflows/reply-message.ts'

test.each([
  ['a message', { message: 'Out of stock', code: 7 }, 'Out of stock'],
  ['problem details', { type: 'about:blank', title: 'Bad', detail: 'No such SKU' }, 'No such SKU'],
  ['an OAuth error', { error: 'invalid_grant', error_description: 'Token expired' }, 'Token expired'],
  ['a word', { error: 'maintenance' }, 'maintenance'],
  ['a nested error', { error: { type: 'card', message: 'Card declined' } }, 'Card declined'],
  ['a list of errors', { errors: [{ detail: 'Name is too long' }] }, 'Name is too long'],
  ['a list of words', { errors: ['first', 'second'] }, 'first'],
  ['a plain text', { result: '\n  Down for repair\nuntil noon' }, 'Down for repair'],
  ['words over lines', { message: 'one\r\n  two' }, 'one two'],
  ['a long message', { message: 'x'.repeat(5000) }, `${'x'.repeat(199)}…`],
])('finds the words of %s', (_of, result, words) => expect(replyMessage(result)).toBe(words))

test.each([
  ['a page of HTML', { result: '<!doctype html><title>Bad gateway</title>' }],
  ['an empty body', { result: '' }],
  ['no response', null],
  ['a number', { message: 5 }],
  ['an inherited key', Object.create({ message: 'inherited' })],
  ['deep nesting', { error: { error: { error: { error: { error: 'deep' } } } } }],
])('finds no words in %s', (_of, result) => expect(replyMessage(result)).toBe(null))
