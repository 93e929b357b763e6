import { describe, expect, test } from 'vitest'
import { createLookAlikes, largeResponse, type Tellable, toolWarnings } from '#shared/model/tool-warning.ts'

const parameter = (name: string, description: string) => ({
  name,
  type: 'string' as const,
  description,
  required: true,
})
const action = {
  description: 'Find an order. Use it when the customer names one.',
  parameters: [parameter('order_id', 'Order number, such as ORD-20418')],
  responseMapping: null,
}
const codesOf = (change: Partial<typeof action>, bytes: number | null = null) =>
  toolWarnings({ ...action, ...change }, bytes).map(({ code }) => code)

describe('the warnings about one tool', () => {
  test('are none for a description with a use case and described parameters', () => {
    expect(toolWarnings(action, 100)).toEqual([])
  })

  test('name a description that only says what the tool does', () => {
    expect(codesOf({ description: 'Find an order by its number.' })).toEqual(['no_use_case'])
    expect(codesOf({ description: 'Cancels an order that has not been shipped.' })).toEqual(['no_use_case'])
  })

  test.each([
    'Refund an order if the customer asks for money back.',
    'Only on their explicit wish.',
    'Sucht eine Bestellung, wenn der Kunde ihre Nummer nennt.',
    'Cherche une commande lorsque le client donne son numéro.',
    '注文を検索します。',
  ])('accept %j, which says when or cannot be evaluated', description => {
    expect(codesOf({ description })).toEqual([])
  })

  test('name a description of over 800 characters with its length', () => {
    const description = `Use it when asked. ${'More. '.repeat(140)}`
    expect(toolWarnings({ ...action, description }, null)).toEqual([
      { code: 'long_description', characters: description.length },
    ])
  })

  test('name each parameter whose description is missing or repeats its name', () => {
    const parameters = [
      parameter('sku', ''),
      parameter('orderId', 'The id of the order'),
      parameter('limit', 'How many'),
      parameter('page', 'Page, from 1'),
    ]
    expect(toolWarnings({ ...action, parameters }, null)).toEqual([
      { code: 'undescribed_parameter', parameter: 'sku' },
      { code: 'undescribed_parameter', parameter: 'orderId' },
    ])
  })

  test('name a response of over 4 KiB unless a mapping selects its fields', () => {
    expect(codesOf({}, largeResponse)).toEqual([])
    expect(toolWarnings(action, largeResponse + 1)).toEqual([{ code: 'large_response', bytes: 4097 }])
    expect(toolWarnings({ ...action, responseMapping: { id: 'order.id' } }, 1_000_000)).toEqual([])
    expect(toolWarnings({ ...action, responseMapping: {} }, 5000)).toHaveLength(1)
    expect(toolWarnings({ ...action, responseMapping: { items: '$body' } }, 5000)).toHaveLength(1)
  })
})

describe('tools that look alike', () => {
  let count = 0
  const tool = (toolName: string, description: string, connectionId = 'conn_1'): Tellable => ({
    actionId: `act_${toolName}_${count++}`,
    connectionId,
    toolName,
    description,
  })
  const named = (tools: readonly Tellable[]) => {
    const found = createLookAlikes()
    tools.forEach(found.add)
    return tools.map(one =>
      found
        .warningsFor(one, () => true)
        .map(warning => (warning.code === 'look_alike' ? warning.toolName : '')),
    )
  }

  test('have the same words in their names, whatever their order and verb', () => {
    expect(
      named([
        tool('look_up_order', 'One'),
        tool('get_orders', 'Two', 'conn_2'),
        tool('order_fetch', 'Three'),
        tool('get_order_lines', 'Four'),
        tool('delete_order', 'Five'),
      ]),
    ).toEqual([
      ['get_orders', 'order_fetch'],
      ['look_up_order', 'order_fetch'],
      ['look_up_order', 'get_orders'],
      [],
      [],
    ])
  })

  test('share most words of their descriptions', () => {
    expect(
      named([
        tool('a', 'Find one order of a customer by its number and return its lines.'),
        tool('b', 'Retrieve an order of the customer by number and return all its lines.'),
        tool('c', 'Cancel one order of a customer that has not been shipped.'),
      ]),
    ).toEqual([['b'], ['a'], []])
  })

  test('are not compared by descriptions of two or three words', () => {
    expect(named([tool('a', 'Find orders.'), tool('b', 'Find orders.')])).toEqual([[], []])
  })

  test('are named at most three to each, also among 2,000 with one text', () => {
    const text = 'Find one order of a customer by its number and return its lines.'
    const tools = Array.from({ length: 2000 }, (_, index) => tool(`tool_${index}`, text))
    const found = createLookAlikes()
    tools.forEach(found.add)
    for (const one of tools) expect(found.warningsFor(one, () => true)).toHaveLength(3)
  })

  test('are not named once they are removed, or say something else', () => {
    const found = createLookAlikes()
    const one = tool('find_order', 'Find one order of a customer by its number and return its lines.')
    const other = tool('get_order', one.description)
    ;[one, other].forEach(found.add)
    const named = () => found.warningsFor(one, () => true).length
    expect(named()).toBe(1)
    found.add({ ...other, toolName: 'get_weather' })
    expect(named()).toBe(1)
    found.add({ ...other, toolName: 'get_weather', description: 'Says how warm it is in a city now.' })
    expect(named()).toBe(0)
    found.add(other)
    expect(found.warningsFor(one, ({ actionId }) => actionId !== other.actionId)).toEqual([])
    found.remove(other.actionId)
    expect(named()).toBe(0)
  })
})
