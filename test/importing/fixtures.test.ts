import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { exportConnection } from '#main/importing/export.ts'
import { readImport } from '#main/importing/import-job.ts'
import { applyImport, previewImport } from '#main/importing/imports.ts'
import type { RequestedFormat } from '#shared/model/import-preview.ts'
import { countingRandom, now } from '../connections/fixtures.ts'
import { withStockedShop } from './fixtures.ts'

/**
 * Each `NAME.input.*` with what becomes of it in `NAME.output.json`: the preview, and the connection as an
 * export once it is applied (null where it cannot be). The name begins with the format, unless it is an
 * import document; `into-shop` in it stands for a connection that has a base URL, an action and an event.
 */
const folder = join(import.meta.dirname, '..', 'fixtures', 'import')
const inputs = readdirSync(folder).filter(file => file.includes('.input.'))

const formatOf = (file: string): RequestedFormat =>
  (['openapi', 'swagger', 'postman', 'curl'] as const).find(format => file.startsWith(`${format}-`)) ??
  'document'

describe('fixtures', () => {
  test('are there', () => {
    expect(inputs.length).toBeGreaterThan(80)
  })

  test.each(inputs)('%s', async file => {
    const text = readFileSync(join(folder, file), 'utf8')
    const { config, shop } = withStockedShop()
    const intoShop = file.includes('into-shop')
    const target = { connectionId: intoShop ? shop.connectionId : null, workspaceId: null }
    const parsed = readImport(text, formatOf(file), intoShop ? shop.baseUrl : null)
    const preview = previewImport(config, parsed, target)
    const apply = () => applyImport(config, parsed, target, now, countingRandom())

    let connection: unknown = null
    if (preview.valid) {
      const { next, result } = apply()
      const record = next.connections.get(result.connectionId)
      if (record === undefined) throw new Error('The connection is not there.')
      connection = exportConnection(record, [], value => value)
      expect(result.created).toEqual({
        actions: preview.actions.create,
        eventTypes: preview.eventTypes.create,
      })
      expect(result.skipped).toEqual({ actions: preview.actions.skip, eventTypes: preview.eventTypes.skip })
      expect(result.warnings).toEqual(preview.issues)
    } else {
      expect(apply).toThrow(
        expect.objectContaining({ code: 'invalid_document', data: { issues: preview.issues } }),
      )
    }
    const output = `${JSON.stringify({ preview, connection }, null, 2)}\n`
    expect(output).not.toContain('canary')
    await expect(output).toMatchFileSnapshot(join(folder, file.replace(/\.input\.\w+$/, '.output.json')))
  })
})

test('nothing reaches the prototype of objects', () => {
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
})
