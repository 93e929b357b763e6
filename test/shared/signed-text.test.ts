import { expect, test } from 'vitest'
import { movableBetween, refusedBetween } from '#shared/model/sender/signed-text.ts'

test.each([
  ['{{id}}{{body}}', ['{{id}}', '{{body}}']],
  ['{{timestamp}}.{{ header:x-shop }}{{body}}', ['{{ header:x-shop }}', '{{body}}']],
  ['v0:{{body}}{{header:a}}', ['{{body}}', '{{header:a}}']],
  // The sender chooses the query.
  ['{{url}}{{body}}', ['{{url}}', '{{body}}']],
  // A timestamp separates nothing: digits beside it could be another.
  ['{{id}}{{timestamp}}{{body}}', ['{{id}}', '{{body}}']],
  ['{{url}}{{body}}{{ timestamp }}{{id}}', ['{{url}}', '{{body}}']],
  // A separator and a timestamp stay where they are.
  ['{{id}}.{{timestamp}}.{{body}}', null],
  ['{{timestamp}}{{body}}', null],
  ['{{body}}{{', null],
  ['', null],
])('tells whether bytes can move between placeholders of %s', (template, pair) => {
  expect(movableBetween(template)).toEqual(pair)
})

test.each([
  ['{{id}}{{body}}', ['{{id}}', '{{body}}']],
  ['{{url}}{{body}}{{id}}', ['{{body}}', '{{id}}']],
  ['{{header:url}}{{body}}', ['{{header:url}}', '{{body}}']],
  ['{{url}}{{header:body}}{{body}}', ['{{url}}', '{{header:body}}']],
  ['{{url}}{{body}}', null],
  ['{{body}}{{ url }}', null],
  ['{{timestamp}}{{body}}', null],
])('tells which of them a new template may not have: %s', (template, pair) => {
  expect(refusedBetween(template)).toEqual(pair)
})
