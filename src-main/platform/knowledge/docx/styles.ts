import { isOn, type XmlHandler } from './xml.ts'

/** A list level of a paragraph: the id of its list, and the level from 0. */
export type ListPlace = { readonly list: string; readonly level: number }

type Style = {
  basedOn: string | undefined
  isHidden: boolean | undefined
  list: string | undefined
  level: number | undefined
}

/** The styles of a document, as far as they hide text or make lists. */
export type Styles = {
  isHidden(style: string | undefined): boolean
  listOf(style: string | undefined): ListPlace | null
}

/** Collects the styles of `styles.xml`. */
export function createStyles(): { readonly handler: XmlHandler; readonly styles: Styles } {
  const byId = new Map<string, Style>()
  let usual: string | undefined
  let current: Style | null = null

  /** Returns the first value that a style, or one it is based on, sets. */
  function find<Value>(id: string | undefined, read: (style: Style) => Value | undefined) {
    let style = byId.get(id ?? usual ?? '')
    // Word allows far fewer levels. Styles that are based on each other would not end.
    for (let left = 50; style !== undefined && left > 0; left--) {
      const value = read(style)
      if (value !== undefined) return value
      style = style.basedOn === undefined ? undefined : byId.get(style.basedOn)
    }
    return undefined
  }

  return {
    handler: {
      open(name, attribute) {
        const value = () => attribute('val')
        if (name === 'w:style') {
          const id = attribute('styleId') ?? ''
          current = { basedOn: undefined, isHidden: undefined, list: undefined, level: undefined }
          byId.set(id, current)
          if (attribute('type') === 'paragraph' && attribute('default') === '1') usual = id
        } else if (name === 'w:tblStylePr' || name.endsWith('Change')) return 'skip'
        if (current === null) return
        if (name === 'w:basedOn') current.basedOn = value()
        else if (name === 'w:vanish') current.isHidden = isOn(value())
        else if (name === 'w:numId') current.list = value()
        else if (name === 'w:ilvl') current.level = Number(value())
      },
      close(name) {
        if (name === 'w:style') current = null
      },
    },
    styles: {
      isHidden: id => find(id, style => style.isHidden) ?? false,
      listOf(id) {
        const list = find(id, style => style.list)
        return list === undefined ? null : { list, level: find(id, style => style.level) ?? 0 }
      },
    },
  }
}
