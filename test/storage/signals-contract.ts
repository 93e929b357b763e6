import { describe, expect, onTestFinished, test } from 'vitest'
import type { Signals } from '#main/storage/signals.ts'
import { eventually } from '../support/eventually.ts'

export type OpenedSignals = {
  /** The signals of two nodes. */
  readonly nodes: readonly [Signals, Signals]
  /** The errors that listeners threw so far. */
  readonly errors: readonly unknown[]
  close(): Promise<void>
}

/** The suite that any implementation of Signals must pass. */
export function describeSignals(name: string, open: () => Promise<OpenedSignals>): void {
  async function opened() {
    const all = await open()
    onTestFinished(() => all.close())
    const [a, b] = all.nodes
    return { a, b, errors: all.errors }
  }

  /** Returns the texts that a topic has brought so far. */
  function heardBy(signals: Signals, topic: string): string[] {
    const texts: string[] = []
    signals.on(topic, text => texts.push(text))
    return texts
  }

  describe(`${name} are Signals`, () => {
    test('reach every listener of their topic on every node, the sending one included', async () => {
      const { a, b } = await opened()
      const all = [heardBy(a, 'runs'), heardBy(b, 'runs'), heardBy(b, 'runs')]
      a.send('runs', 'run_1')
      await eventually(() => expect(all).toEqual([['run_1'], ['run_1'], ['run_1']]))
    })

    test('reach no listener of another topic', async () => {
      const { a, b } = await opened()
      const runs = heardBy(b, 'runs')
      const sessions = heardBy(b, 'sessions')
      a.send('runs', 'run_1')
      a.send('sessions', 'ended')
      await eventually(() => expect([runs, sessions]).toEqual([['run_1'], ['ended']]))
    })

    test('keep their text, whatever its characters', async () => {
      const { a, b } = await opened()
      const sent = ['', "quote ' and \\ and\nline", '😀 漢 é', 'x'.repeat(4000)]
      const texts = heardBy(b, 'a topic: with "signs"')
      for (const text of sent) a.send('a topic: with "signs"', text)
      await eventually(() => expect(texts.toSorted()).toEqual(sent.toSorted()))
    })

    test('of more than 4,000 bytes are refused', async () => {
      const { a } = await opened()
      expect(() => a.send('runs', 'é'.repeat(2001))).toThrow(RangeError)
    })

    test('reach no listener that has ended, and the others after one has thrown', async () => {
      const { a, b, errors } = await opened()
      const ended: string[] = []
      const stop = b.on('runs', text => ended.push(text))
      const failure = new Error('a listener failed')
      b.on('runs', () => {
        throw failure
      })
      const texts = heardBy(b, 'runs')
      a.send('runs', 'first')
      await eventually(() => expect([ended, texts]).toEqual([['first'], ['first']]))
      stop()
      a.send('runs', 'second')
      await eventually(() => expect(texts).toHaveLength(2))
      expect(ended).toEqual(['first'])
      expect(errors).toEqual([failure, failure])
    })
  })
}
