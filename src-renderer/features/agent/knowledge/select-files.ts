import { type KnowledgeFile, KnowledgeKind } from '#shared/model/platform/knowledge.ts'
import { formatCount } from '../../../ui/format.ts'
import { byMoment, byName, type LocalList } from '../../../ui/list-search.ts'

/** The orders of the files. The first is the default. */
export const fileSorts = ['newest', 'name', 'size'] as const
type FileSort = (typeof fileSorts)[number]

export const fileList: LocalList<KnowledgeFile, KnowledgeKind, FileSort> = {
  group: 'Knowledge',
  noun: 'file',
  placeholder: 'Filter by name',
  idOf: ({ fileId }) => fileId,
  textOf: ({ name }) => name,
  sorts: fileSorts,
  orders: {
    newest: { label: 'Newest first', compare: (a, b) => byMoment(a.addedAt, b.addedAt), isSteady: true },
    name: { label: 'Name', compare: byName, isSteady: true },
    size: { label: 'Largest first', compare: (a, b) => b.bytes - a.bytes || byName(a, b), isSteady: true },
  },
  states: KnowledgeKind.options,
  statesName: 'Type',
  stateLabels: { pdf: 'PDF', docx: 'DOCX', txt: 'TXT', csv: 'CSV' },
  isIn: ({ kind }, wanted) => kind === wanted,
}

/** Returns how long a file is: “14 pages”; null if its pages are not counted. */
export function lengthOf({ pages, rows, lines }: KnowledgeFile): string | null {
  if (pages !== null) return formatCount(pages, 'page')
  if (rows !== null) return formatCount(rows, 'row')
  return lines === null ? null : formatCount(lines, 'line')
}
