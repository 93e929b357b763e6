import { describe, expect, test } from 'vitest'
import { splitReasoning } from '#main/assistant/conversation/split-reasoning.ts'

/** Segments in one line: reasoning in parentheses. */
const shown = (text: string, isComplete = true) =>
  splitReasoning(text, isComplete)
    .map(segment => (segment.type === 'reasoning' ? `(${segment.text})` : segment.text))
    .join('|')

describe('the reasoning of a model is split from its text', () => {
  test.each<[of: string, written: string, expected: string]>([
    ['a block at the beginning', '<think>\nHm.\n</think>\n\nHello', '(Hm.)|Hello'],
    ['a block on one line', '<think>Hm.</think>Hello', '(Hm.)|Hello'],
    ['white space before the block', '\n\n <think>Hm.</think>\nHello', '(Hm.)|Hello'],
    ['an empty block', '<think>\n\n</think>\n\nHello', 'Hello'],
    ['a block that is not closed', '<think>\nHm. And', '(Hm. And)'],
    ['a block whose opening mark was in the prompt', 'Hm.\n</think>\n\nHello', '(Hm.)|Hello'],
    ['a closing mark at the end of a sentence', 'So 4.</think>\nHello', '(So 4.)|Hello'],
    ['a closing mark at the end of the answer', 'Hm.\n</think>', '(Hm.)'],
    ['two blocks in a row', '<think>A</think>\n<think>B</think>\nHello', '(A)|(B)|Hello'],
    ['a block in the middle', 'I look.\n<think>Hm.</think>\nIt is 4.', 'I look.\n|(Hm.)|It is 4.'],
    ['Windows line ends', '<think>\r\nHm.\r\n</think>\r\n\r\nHello', '(Hm.)|Hello'],
    ['capitals', '<THINK>Hm.</THINK>Hello', '(Hm.)|Hello'],
    ['code in the reasoning', '<think>\n```\nlet a\n```\n</think>\nHello', '(```\nlet a\n```)|Hello'],
    ['a mark that the reasoning mentions', '<think>A <think> tag?</think>\nYes', '(A <think> tag?)|Yes'],
    ['<thinking>', '<thinking>Hm.</thinking>Hello', '(Hm.)|Hello'],
    ['<thought>', '<thought>Hm.</thought>Hello', '(Hm.)|Hello'],
    ['<reasoning>', '<reasoning>\nHm.\n</reasoning>\nHello', '(Hm.)|Hello'],
    ['OpenThinker', '<|begin_of_thought|>Hm.<|end_of_thought|>Hello', '(Hm.)|Hello'],
    ['<seed:think>', '<seed:think>Hm.</seed:think>Hello', '(Hm.)|Hello'],
    ['[THINK]', '[THINK]Hm.[/THINK]Hello', '(Hm.)|Hello'],
    ['Command A', '<|START_THINKING|>Hm.<|END_THINKING|>Hello', '(Hm.)|Hello'],
    ['Kimi', '◁think▷Hm.◁/think▷Hello', '(Hm.)|Hello'],
    [
      'gpt-oss',
      '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Hello<|return|>',
      '(Hm.)|Hello',
    ],
  ])('%s', (_of, written, expected) => {
    expect(shown(written)).toBe(expected)
  })

  test.each<[of: string, written: string]>([
    ['no mark', '  Hello <b>you</b>\n\n'],
    ['a mark in a sentence', 'The <think> tag and the </think> tag mark reasoning.'],
    ['marks in a block of code', 'Like this:\n```xml\n<think>\nHm.\n</think>\n```\nDone.'],
    ['marks in a longer fence', '````\n```\n<think>\n```\n</think>\n````\n'],
    ['marks in a code block that is not closed', '~~~\n<think>\nHm.\n</think>\n'],
    ['marks in code of a sentence', 'Write `<think>` and `</think>`\nThen answer.'],
    ['a closing mark after an answer with reasoning', '<think>Hm.</think>\nWrite\n</think>\nto end.'],
    ['another tag', '<thinker>Hm.</thinker>'],
  ])('%s is text', (_of, written) => {
    expect(splitReasoning(written, true).at(-1)).toEqual({
      type: 'text',
      text: written.replace(/^<think>Hm\.<\/think>\n/, ''),
    })
  })

  test('in pieces of any size: what was shown as text never has a part of a mark', () => {
    const whole = '<think>\nHm < 5, or [1].\n</think>\n\nIt is **4** <b>.\n'
    for (let length = 0; length <= whole.length; length++) {
      const grown = shown(whole.slice(0, length), false)
      expect(grown, grown).toMatch(/^(\([^|]*\)?(\|[^|]*)?)?$/)
      expect(grown).not.toMatch(/think|<$|<\/|\|.*\(/)
    }
    expect(shown(whole)).toBe('(Hm < 5, or [1].)|It is **4** <b>.\n')
  })

  test('of any length and kind in linear time, and into at most 33 segments', () => {
    const hostile = [
      '<think></think>'.repeat(20_000),
      '<think>\n'.repeat(40_000),
      '</think> '.repeat(40_000),
      `</think>${' '.repeat(300_000)}x`,
      `${'\n'.repeat(300_000)}<think>`,
      `${' '.repeat(300_000)}x<think>`,
      '```\n'.repeat(80_000),
      '<|channel|>'.repeat(30_000),
      `<think>a</think>b\n`.repeat(20_000),
    ]
    for (const text of hostile) {
      const segments = splitReasoning(text, true)
      expect(segments.length).toBeLessThanOrEqual(33)
      splitReasoning(text, false)
    }
  })
})
