import { expect, test } from 'vitest'
import { callNotes } from '#renderer/entities/action/call-notes.ts'

test('the notes of a call name converted arguments, a second request and an unknown encoding', () => {
  expect(callNotes({ response: null })).toEqual([])
  const response = { status: 200, headers: {}, body: '', bytes: 0, note: 'Read as it is.' }
  const converted = [
    { name: 'amount', as: 'number' as const },
    { name: 'limit', as: null },
    { name: 'express', as: 'boolean' as const },
    { name: 'note', as: null },
  ]
  expect(callNotes({ response, resent: true, converted })).toEqual([
    'Given as text and taken as another type: amount as a number, express as true or false.',
    'Empty and therefore left out: limit, note.',
    'The request was sent twice: the server closed the first, reused connection without an answer.',
    'Read as it is.',
  ])
})
