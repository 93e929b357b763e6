import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSqliteHistory } from '#main/storage/local/sqlite/sqlite-history.ts'
import { describeConversationStore } from '../conversations-contract.ts'

async function openFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'cc-conversations-'))
  const open = () =>
    openSqliteHistory({
      file: join(folder, 'history.sqlite'),
      bounds: {},
      clock: () => 0,
      onProblem: error => {
        throw error
      },
      onNotice: notice => {
        throw new Error(notice)
      },
    })
  return { folder, open }
}

test('continues its numbers after a restart', async () => {
  const { folder, open } = await openFolder()
  const history = await open()
  const conversation = { number: 7, workspaceId: 'default', updated: 4711, head: '{}', text: '', bytes: 10 }
  await history.conversations.create(conversation, {
    ...{ mostPerWorkspace: 100, mostBytes: 1_000_000, oldest: 0 },
  })
  await history.close()
  const again = await open()
  expect(again.nextNumber()).toBe(4712)
  await again.close()
  await rm(folder, { recursive: true, force: true })
})

describeConversationStore('conversations in SQLite', async () => {
  const { folder, open } = await openFolder()
  const handlesOf = ({ conversations }: Awaited<ReturnType<typeof open>>) =>
    [conversations, conversations] as const
  let history = await open()
  return {
    handles: handlesOf(history),
    async reopen() {
      await history.close()
      history = await open()
      return handlesOf(history)
    },
    close: () => history.close(),
    async dispose() {
      await history.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
})
