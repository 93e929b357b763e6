/** A part of what a model has written. */
export type Segment = { readonly type: 'text' | 'reasoning'; readonly text: string }

/** How models mark their reasoning if their server does not send it in a field of its own. */
const marks: readonly (readonly [open: string, close: string])[] = [
  // DeepSeek, Qwen, GLM and most others; with the long tag some fine-tuned models.
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  // Models that were trained with GRPO
  ['<reasoning>', '</reasoning>'],
  // Gemini
  ['<thought>', '</thought>'],
  // OpenThinker, Sky-T1
  ['<|begin_of_thought|>', '<|end_of_thought|>'],
  // Seed-OSS
  ['<seed:think>', '</seed:think>'],
  // Magistral
  ['[THINK]', '[/THINK]'],
  // Command A
  ['<|START_THINKING|>', '<|END_THINKING|>'],
  // Kimi
  ['◁think▷', '◁/think▷'],
  // gpt-oss
  ['<|channel|>analysis<|message|>', '<|end|>'],
  ['<|start|>assistant<|channel|>analysis<|message|>', '<|end|>'],
]
/** The marks that gpt-oss writes around its answer. */
const envelope = [
  '<|start|>assistant<|channel|>final<|message|>',
  '<|channel|>final<|message|>',
  '<|return|>',
]

const anyOf = (texts: readonly string[]) => texts.map(text => text.replace(/[|[\]]/g, '\\$&')).join('|')
const opens = anyOf(marks.map(([open]) => open))
const closes = anyOf(marks.map(([, close]) => close))
/** A fence of code or an opening mark at the start of a line, or a closing mark at the end of one. */
const token = new RegExp(`^ {0,3}(\`{3,}|~{3,}|${opens})|(?:${closes})(?=[ \\t]*\\r?$)`, 'gim')
const openHere = new RegExp(`\\s*(${opens})`, 'iy')
const closeOf = new Map(marks.map(([open, close]) => [open.toLowerCase(), new RegExp(anyOf([close]), 'gi')]))
const wrapper = new RegExp(anyOf(envelope), 'g')
/** Every text that must not be shown until it is known not to be a mark. */
const withheld = [...marks.flat(), ...envelope].map(text => text.toLowerCase())
const longest = Math.max(...withheld.map(({ length }) => length))

/** More changes between text and reasoning are not split: every segment is stored by itself. */
const maxSegments = 32

/**
 * Splits what a model has written into its reasoning and its text. A mark counts at the start of a line, outside blocks
 * of code. A closing mark alone ends a reasoning whose opening mark was part of the prompt. Reasoning that is not closed
 * continues to the end. The time is linear.
 *
 * @param isComplete false while the text grows: the beginning of a mark at its end is then left out.
 */
export function splitReasoning(written: string, isComplete: boolean): Segment[] {
  const whole = isComplete ? written : written.slice(0, endBeforeMark(written))
  const text = whole.includes('<|') ? whole.replace(wrapper, '') : whole
  const segments: Segment[] = []
  const add = (type: Segment['type'], from: number, to?: number) => {
    const part = text.slice(from, to)
    segments.push({ type, text: type === 'reasoning' ? part.trim() : part })
  }
  let from = 0
  let fence = ''
  let found = findToken(text, 0)
  while (found !== null && segments.length < maxSegments) {
    const { mark, start, end } = found
    const close = closeOf.get(mark.toLowerCase())
    const isFence = /^[`~]/.test(mark)
    if (isFence) fence = fence === '' ? mark : mark.startsWith(fence) ? '' : fence
    const isText = isFence || fence !== '' || (close === undefined && segments.length > 0)
    if (isText) {
      found = findToken(text, end)
      continue
    }
    if (close === undefined) {
      add('reasoning', 0, start)
      from = end
    } else {
      add('text', from, start)
      close.lastIndex = end
      const closing = close.exec(text)
      add('reasoning', end, closing?.index)
      from = closing === null ? text.length : close.lastIndex
    }
    openHere.lastIndex = from
    const next = openHere.exec(text)
    found =
      next === null ? findToken(text, from) : { mark: next[1] ?? '', start: from, end: openHere.lastIndex }
  }
  add('text', from)
  if (segments.length === 1) return text === '' ? [] : segments
  return segments.flatMap(segment => {
    if (segment.text.trim() === '') return []
    return [segment.type === 'text' ? { ...segment, text: segment.text.replace(/^\s*\n|^ +/, '') } : segment]
  })
}

type Found = { readonly mark: string; readonly start: number; readonly end: number }

function findToken(text: string, from: number): Found | null {
  token.lastIndex = from
  const match = token.exec(text)
  return match && { mark: match[1] ?? match[0], start: match.index, end: token.lastIndex }
}

/** Returns where a text ends without the beginning of a mark, or a whole mark, at its end. */
function endBeforeMark(text: string): number {
  const tail = text.slice(-longest).toLowerCase()
  if (tail.length !== Math.min(longest, text.length)) return text.length
  for (let at = 0; at < tail.length; at++) {
    const end = tail.slice(at)
    if (withheld.some(mark => mark.startsWith(end))) return text.length - tail.length + at
  }
  return text.length
}
