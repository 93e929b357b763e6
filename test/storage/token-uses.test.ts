import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openConfigStore } from '#main/storage/local/lowdb-config-store.ts'
import { createTokenUses } from '#main/storage/local/token-uses.ts'
import { ClientToken, NewClientToken } from '#shared/model/assistant.ts'
import { keyNamed, newFolder, now, sealer } from './config-fixtures.ts'
import { describeTokenUses } from './token-uses-contract.ts'

const onError = (error: unknown) => {
  throw error
}

/** Opens the configuration in a file; with these tokens, if it is new. */
async function openStore(file: string, tokenIds: readonly string[]) {
  const store = await openConfigStore({ file, sealer, clock: () => now, onError, after: () => () => {} })
  onTestFinished(store.close)
  const moment = new Date(now).toISOString()
  const token = (tokenId: string) => ({
    ...ClientToken.parse({
      ...NewClientToken.parse({ name: 'Laptop' }),
      ...{ tokenId, createdAt: moment, updatedAt: moment, lastUsedAt: null },
    }),
    digest: keyNamed(tokenId).toString('hex'),
  })
  const clientTokens = new Map(tokenIds.map(tokenId => [tokenId, token(tokenId)]))
  if (store.snapshot().clientTokens.size === 0)
    await store.update(config => ({ next: { ...config, clientTokens }, result: null }))
  return store
}

describeTokenUses('The uses of tokens in one process', async tokenIds => {
  const file = join(await newFolder(), 'config.json')
  const store = await openStore(file, tokenIds)
  const uses = createTokenUses(store, onError)
  return {
    handles: [uses, uses],
    async reopen() {
      await store.close()
      return createTokenUses(await openStore(file, tokenIds), onError)
    },
    dispose: store.close,
  }
})

test('Uses change the configuration at most every ten minutes for each token that exists', async () => {
  const store = await openStore(join(await newFolder(), 'config.json'), ['tok_1', 'tok_2'])
  const uses = createTokenUses(store, onError)
  const before = store.changeCount()
  for (let second = 0; second <= 600; second++)
    for (const tokenId of ['tok_1', 'tok_2', 'tok_deleted']) uses.used(tokenId, now + second * 1000)
  await store.update(config => ({ next: config, result: null }))
  expect(store.changeCount() - before).toBe(4)
  expect(store.snapshot().clientTokens.get('tok_1')?.lastUsedAt).toBe(new Date(now + 600_000).toISOString())
})
