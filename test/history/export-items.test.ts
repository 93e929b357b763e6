import { expect, test } from 'vitest'
import { exportItems } from '#main/history/export-items.ts'
import { sequenceText } from '#main/lib/sequence.ts'
import type { ListedOccurrence } from '#shared/model/activity.ts'

const rejected = (number: number, message: string): ListedOccurrence => ({
  ...{
    type: 'event.rejected',
    id: sequenceText(number),
    at: '2026-01-01T00:00:00.000Z',
    connectionId: 'conn_a',
  },
  ...{ attemptId: null, code: 'invalid_body', message, diagnosis: null, bytes: 1, tookMs: null },
})

/** Returns a list of messages, newest first, in pages of two, and how many pages were read. */
function listOf(messages: readonly string[]) {
  const items = messages.map((message, index) => rejected(messages.length - index, message))
  const read: (string | undefined)[] = []
  const list = async (_selection: object, { before }: { readonly before?: string | undefined }) => {
    read.push(before)
    const rest = items.filter(({ id }) => before === undefined || id < before)
    const page = rest.slice(0, 2)
    return { items: page, nextBefore: rest.length > 2 ? (page.at(-1)?.id ?? null) : null, end: null }
  }
  return { occurrences: { list }, read }
}
const nameOf = (connectionId: string) => (connectionId === 'conn_a' ? '@Shop "A", B' : null)

async function whole(pieces: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const piece of pieces) text += piece
  return text
}

test('an export reads a page when its piece is wanted, and ends after the most items', async () => {
  const { occurrences, read } = listOf(['e', 'd', 'c', 'b', 'a'])
  const pieces = await exportItems({ occurrences, nameOf, most: 3 }, { format: 'jsonl' })
  expect(read).toEqual([undefined])
  const first = await pieces.next()
  expect(String(first.value).trim().split('\n')).toHaveLength(2)
  expect(read).toHaveLength(1)
  expect((await whole(pieces)).trim().split('\n')).toHaveLength(1)
  expect(read).toHaveLength(2)
})

test('no cell of an export begins as a formula does, and quotes, commas and lines stay in their cell', async () => {
  const messages = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1', 'a=1', 'a "b", c\nd', '']
  const { occurrences } = listOf(messages)
  const text = await whole(await exportItems({ occurrences, nameOf }, { format: 'csv' }))
  const cells = [...text.matchAll(/invalid_body,,,(.*?),\r\n/gs)].map(([, cell]) => cell)
  expect(cells).toEqual([
    ...["'=1+1", "'+1", "'-1", "'@SUM(A1)", "'\t=1", '"\'\r=1"', "'＝1", 'a=1', '"a ""b"", c\nd"', ''],
  ])
  expect(text).toContain(`,conn_a,"'@Shop ""A"", B",`)
})
