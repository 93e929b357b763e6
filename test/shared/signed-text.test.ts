import { expect, test } from 'vitest'
import { movableBetween } from '#shared/model/sender/signed-text.ts'

test.each([
  ['{{id}}{{body}}', ['{{id}}', '{{body}}']],
  ['{{timestamp}}.{{ header:x-shop }}{{body}}', ['{{ header:x-shop }}', '{{body}}']],
  ['v0:{{body}}{{header:a}}', ['{{body}}', '{{header:a}}']],
  // The sender chooses the query.
  ['{{url}}{{body}}', ['{{url}}', '{{body}}']],
  // A separator and a timestamp stay where they are.
  ['{{id}}.{{timestamp}}.{{body}}', null],
  ['{{timestamp}}{{body}}', null],
  ['{{body}}{{', null],
  ['', null],
])('tells whether bytes can move between placeholders of %s', (template, pair) => {
  expect(movableBetween(template)).toEqual(pair)
})
