import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { guessImportFormat } from '#shared/model/import-format.ts'

const folder = join(import.meta.dirname, '..', 'fixtures', 'import')
/** Those that are, on purpose, not what their names say. */
const misfits = ['openapi-not.input.json', 'curl-not.input.txt', 'curl-powershell.input.txt']
const files = readdirSync(folder).filter(file => file.includes('.input.') && !misfits.includes(file))

test.each(files)('%s is known by its beginning', file => {
  const format = file.startsWith('openapi-') ? 'openapi' : file.startsWith('curl-') ? 'curl' : 'document'
  expect(guessImportFormat(readFileSync(join(folder, file), 'utf8'))).toBe(format)
})

test('what is none of the others is a document, to be refused as one', () => {
  for (const text of ['', '42', 'curly', 'hello', '[', '{"description": "Has no openapi: key."}'])
    expect(guessImportFormat(text)).toBe('document')
})
