import type { CallOutcome } from '#main/outbound/call.ts'
import { textMasker } from '#main/outbound/mask-text.ts'
import { maskTree } from '#main/outbound/mask-tree.ts'
import { createSequence, sequenceText } from '#main/sequence.ts'
import type { ActionRecord, Config } from '#main/store/config.ts'
import type { ConfigStore } from '#main/store/config-store.ts'
import type { LastTest, TestRecord } from '#shared/model/call.ts'
import type { Environment } from './environment.ts'
import { shortenTest } from './shorten-test.ts'

const maxPerAction = 50
/** Of all tests together, in characters of their JSON. */
const maxCharacters = 32 * 1024 * 1024

type Arguments = TestRecord['arguments']

/** The last tests of each action: in memory only, gone with their action and on restart. */
export type ActionTests = {
  /** @param outcome as the caller gave it, its secrets masked. */
  add(connectionId: string, action: ActionRecord, given: Arguments, outcome: CallOutcome): void
  /** Newest first. */
  list(actionId: string): TestRecord[]
  /** The newest of each action of a connection that has any. */
  newest(connectionId: string): LastTest[]
  /** Stops following the configuration. */
  stop(): void
}

type Kept = {
  readonly connectionId: string
  readonly actionId: string
  readonly characters: number
  readonly test: TestRecord
}

/**
 * @param environment whose values arguments may not show: a tester can have pasted one there.
 * @param clock milliseconds since 1970.
 */
export function createActionTests(
  store: ConfigStore,
  environment: Pick<Environment, 'resolve'>,
  clock: () => number,
): ActionTests {
  /** Oldest first. */
  let kept: Kept[] = []
  const nextId = createSequence(clock)
  const stop = store.onChange((next, previous) => {
    kept = kept.filter(
      ({ connectionId, actionId }) =>
        next.connections.get(connectionId) === previous.connections.get(connectionId) ||
        hasAction(next, connectionId, actionId),
    )
  })

  function dropOldest(actionId: string): void {
    const ofAction = kept.filter(entry => entry.actionId === actionId)
    const excess = new Set(ofAction.slice(0, Math.max(0, ofAction.length - maxPerAction)))
    let characters = kept.reduce((sum, entry) => sum + entry.characters, 0)
    for (const entry of kept) {
      if (characters <= maxCharacters) break
      excess.add(entry)
      characters -= entry.characters
    }
    if (excess.size > 0) kept = kept.filter(entry => !excess.has(entry))
  }

  return {
    add(connectionId, { actionId }, given, { environmentVariables, ...result }) {
      // It may have been deleted while the call was under way.
      if (!hasAction(store.snapshot(), connectionId, actionId)) return
      const secrets = environmentVariables.flatMap(name => environment.resolve(name) ?? [])
      const test = shortenTest({
        testId: `test_${sequenceText(nextId())}`,
        at: new Date(clock()).toISOString(),
        arguments: maskArguments(given, secrets),
        environmentVariables,
        result,
      })
      kept.push({ connectionId, actionId, characters: JSON.stringify(test).length, test })
      dropOldest(actionId)
    },
    list: actionId =>
      kept
        .filter(entry => entry.actionId === actionId)
        .map(({ test }) => test)
        .reverse(),
    newest: connectionId => [
      ...new Map(
        kept
          .filter(entry => entry.connectionId === connectionId)
          .map(entry => [entry.actionId, inShort(entry)]),
      ).values(),
    ],
    stop,
  }
}

function inShort({ actionId, test: { at, result } }: Kept): LastTest {
  const { ok, response, error } = result
  return { actionId, at, ok, status: response?.status ?? null, code: error?.code ?? null }
}

function hasAction({ connections }: Config, connectionId: string, actionId: string): boolean {
  return connections.get(connectionId)?.actions.some(action => action.actionId === actionId) ?? false
}

function maskArguments(given: Arguments, secrets: readonly string[]): Arguments {
  const text = textMasker(secrets)
  if (text === null) return given
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [text(name), maskTree(value, text)]))
}
