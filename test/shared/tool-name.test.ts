import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sha256Hex } from '#main/lib/sha256-hex.ts'
import { deriveToolName, ToolName } from '#shared/model/tool-name.ts'

const derive = (name: string) => deriveToolName(name, sha256Hex)

describe('the tool name made from a name', () => {
  test.each([
    ['Look up an order', 'look_up_an_order'],
    ['  spaces --- and / signs!  ', 'spaces_and_signs'],
    ['getHTTPStatus', 'get_http_status'],
    ['HTTPStatus', 'http_status'],
    ['createOrder2', 'create_order2'],
    ['order2Cash', 'order2_cash'],
    ['already_snake_case', 'already_snake_case'],
    ['Créer une commande', 'creer_une_commande'],
    ['Straße', 'strasse'],
    ['Ærø Łódź Þór', 'aero_lodz_thor'],
    ['ÆRØ STRAẞE', 'aero_strasse'],
    ['getÆrø', 'get_aero'],
    ['ŉ ĳ Ĳ ŀ', 'n_ij_ij_l'],
    ['ﬁnd ﬂight', 'find_flight'],
    ['２nd', 'tool_2nd'],
    ['2nd try!', 'tool_2nd_try'],
    ['don’t', 'don_t'],
    ['A', 'a'],
  ])('%s → %s', (name, toolName) => {
    expect(derive(name)).toBe(toolName)
  })

  test.each(['!!!', '検索', '🛒', ' ', '\ud800'])('of %j, where nothing is left, is a hash', name => {
    expect(derive(name)).toBe(`tool_${sha256Hex(name).slice(0, 8)}`)
  })

  test('over 64 characters is cut, with a hash that tells it from others', () => {
    const long = 'a'.repeat(70)
    expect(derive('a'.repeat(64))).toBe('a'.repeat(64))
    expect(derive(long)).toBe(`${'a'.repeat(55)}_${sha256Hex(long).slice(0, 8)}`)
    expect(derive(`${long}b`)).not.toBe(derive(`${long}c`))
  })

  test('is always valid, and its own tool name unless it was cut', () => {
    const names = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme', minLength: 30 }),
      fc.string({ unit: fc.constantFrom('a', 'Z', '9', '_', ' ', 'é', 'ß'), minLength: 50 }),
    )
    fc.assert(
      fc.property(names, name => {
        const toolName = derive(name)
        expect(ToolName.safeParse(toolName).success, toolName).toBe(true)
        if (toolName.length < 64) expect(derive(toolName)).toBe(toolName)
      }),
      { numRuns: 1000 },
    )
  })
})

test.each(['', 'A', '1a', '_a', 'a-b', 'a b', 'é', 'a'.repeat(65)])('%j is not a tool name', name => {
  expect(ToolName.safeParse(name).success).toBe(false)
})
