import type { ListPlace } from './styles.ts'
import type { XmlHandler } from './xml.ts'

type Level = { start: number; format: string; text: string; isLegal: boolean }
type List = { definition: string; readonly starts: Map<number, number> }

const maxLabel = 50

/** Counts an item of a list. Returns its label, such as `3.2.`; empty if it has none. */
export type NextLabel = (place: ListPlace) => string

/** Collects the lists of `numbering.xml`. */
export function createLists(): { readonly handler: XmlHandler; readonly nextLabel: NextLabel } {
  /** Levels by definition. Lists of one definition count on, unless they start again. */
  const definitions = new Map<string, Map<number, Level>>()
  const lists = new Map<string, List>()
  const counters = new Map<string, Map<number, number>>()
  const begun = new Set<string>()
  let levels: Map<number, Level> | null = null
  let level: Level | null = null
  let list: List | null = null
  let overridden = 0

  return {
    handler: {
      open(name, attribute) {
        const value = attribute('val') ?? ''
        if (name === 'w:abstractNum') {
          levels = new Map()
          definitions.set(attribute('abstractNumId') ?? '', levels)
        } else if (name === 'w:num') {
          list = { definition: '', starts: new Map() }
          lists.set(attribute('numId') ?? '', list)
        } else if (name === 'w:lvl' && levels !== null) {
          level = { start: 1, format: 'decimal', text: '', isLegal: false }
          levels.set(Number(attribute('ilvl')), level)
        } else if (list !== null) {
          if (name === 'w:abstractNumId') list.definition = value
          else if (name === 'w:lvlOverride') overridden = Number(attribute('ilvl'))
          else if (name === 'w:startOverride') list.starts.set(overridden, Number(value))
        } else if (level !== null) {
          if (name === 'w:start') level.start = Number(value)
          else if (name === 'w:numFmt') level.format = value
          else if (name === 'w:lvlText') level.text = value.slice(0, maxLabel)
          else if (name === 'w:isLgl') level.isLegal = true
        }
      },
      close(name) {
        if (name === 'w:abstractNum') levels = null
        else if (name === 'w:lvl') level = null
        else if (name === 'w:num') list = null
      },
    },
    nextLabel({ list: id, level: at }) {
      const { definition = '', starts = new Map<number, number>() } = lists.get(id) ?? {}
      const all = definitions.get(definition)
      const own = all?.get(at)
      if (all === undefined || own === undefined) return ''
      const counts = counters.get(definition) ?? new Map<number, number>()
      counters.set(definition, counts)
      if (!begun.has(id)) for (const [number, start] of starts) counts.set(number, start - 1)
      begun.add(id)
      counts.set(at, (counts.get(at) ?? own.start - 1) + 1)
      for (const deeper of counts.keys()) if (deeper > at) counts.delete(deeper)
      if (own.format === 'bullet') return '•'
      if (own.format === 'none') return ''
      const label = own.text.replace(/%([1-9])/g, (_, digit: string) => {
        const of = all.get(Number(digit) - 1)
        const count = counts.get(Number(digit) - 1) ?? of?.start ?? 1
        return written(count, own.isLegal ? 'decimal' : (of?.format ?? 'decimal'))
      })
      return label.slice(0, maxLabel)
    },
  }
}

function written(count: number, format: string): string {
  const isSmall = count > 0 && count < 1000
  if (format === 'decimalZero' && count < 10) return `0${count}`
  if (isSmall && /letter$/i.test(format)) {
    const letter = String.fromCharCode(97 + ((count - 1) % 26)).repeat(Math.ceil(count / 26))
    return format.startsWith('upper') ? letter.toUpperCase() : letter
  }
  if (isSmall && /roman$/i.test(format))
    return format.startsWith('upper') ? roman(count).toUpperCase() : roman(count)
  return String(count)
}

const romanDigits: readonly (readonly [number, string])[] = [
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
]

function roman(count: number): string {
  let left = count
  let text = ''
  for (const [value, digits] of romanDigits) for (; left >= value; left -= value) text += digits
  return text
}
