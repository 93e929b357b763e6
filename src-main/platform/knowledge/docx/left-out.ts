import type { KnowledgeWarning } from '#shared/model/platform/knowledge.ts'
import type { Relation } from './package.ts'

/** Types of parts that are read, or that have no text for readers of a document: its looks, comments, code. */
const expected: ReadonlySet<string> = new Set([
  ...['styles', 'stylesWithEffects', 'numbering', 'settings', 'footnotes', 'endnotes', 'header', 'footer'],
  ...['hyperlink', 'image', 'hdphoto', 'theme', 'themeOverride', 'fontTable', 'font', 'webSettings', 'frame'],
  ...['diagramData', 'diagramLayout', 'diagramQuickStyle', 'diagramColors', 'diagramDrawing', 'ink'],
  ...['comments', 'commentsExtended', 'commentsIds', 'commentsExtensible', 'people', 'documenttasks'],
  ...['customXml', 'glossaryDocument', 'attachedTemplate', 'printerSettings', 'transform'],
  ...['vbaProject', 'keyMapCustomizations', 'attachedToolbars', 'activeXControlBinary'],
  ...['recipientData', 'mailMergeSource', 'mailMergeHeaderSource', 'mailMergeRecipientData'],
])

/** Other types of parts, as people know them. */
const names: Readonly<Record<string, string>> = {
  aFChunk: 'inserted file',
  subDocument: 'subdocument',
  chart: 'chart',
  chartEx: 'chart',
  oleObject: 'embedded object',
  package: 'embedded object',
  control: 'form control',
  audio: 'recording',
  video: 'recording',
  media: 'recording',
}

/** At most this many kinds are named. */
const maxKinds = 5

/** Returns a warning that names the parts of a document whose contents are not read; none if all are read. */
export function leftOut(relations: readonly Relation[]): KnowledgeWarning[] {
  const targets = new Map<string, Set<string>>()
  for (const { type, target } of relations) {
    if (expected.has(type)) continue
    const kind = Object.hasOwn(names, type) ? names[type] : undefined
    const name = kind ?? 'unknown part'
    const known = targets.get(name) ?? new Set()
    targets.set(name, known.add(target))
  }
  if (targets.size === 0) return []
  const kinds = [...targets].map(([name, { size }]) => `${size} ${name}${size === 1 ? '' : 's'}`)
  const others = kinds.splice(maxKinds).length > 0 ? ' and others' : ''
  return [{ code: 'text_cut', message: `Not read: ${kinds.join(', ')}${others}` }]
}
