import { expect, test } from 'vitest'
import { parseMessage } from '#main/assistant/mcp/parse-message.ts'

const callWith = (given: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":${given}}}`

test('a message keeps the nulls and the digits of the arguments of a tool', () => {
  const message = parseMessage(Buffer.from(callWith('{"a":null,"b":1.10,"c":{"__proto__":1}}')))
  expect(JSON.stringify(message)).toContain('"arguments":{"a":null,"b":1.10,"c":{"__proto__":1}}')
})

test.each([callWith('{"__proto__":1}'), `[${callWith('{}')},${callWith('{"a":1,"__proto__":null}')}]`])(
  'an argument that would be lost is refused: %s',
  text => {
    expect(() => parseMessage(Buffer.from(text))).toThrow(
      expect.objectContaining({
        id: 1,
        message: expect.stringContaining('an argument cannot be named "__proto__"'),
      }),
    )
  },
)
