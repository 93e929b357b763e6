import type { KnowledgeFile, KnowledgeKind } from '#shared/model/platform/knowledge.ts'
import { anyText, choice } from '../../../ui/filters.ts'
import { formatCount } from '../../../ui/format.ts'
import { byMoment, byName, type ListDefinition } from '../../../ui/list-search.ts'

export const fileList = {
  group: 'Knowledge',
  noun: 'file',
  idOf: ({ fileId }) => fileId,
  filters: {
    filter: { schema: anyText, placeholder: 'Filter by name', textOf: ({ name }) => name },
    status: {
      ...choice<KnowledgeKind>({ pdf: 'PDF', docx: 'DOCX', txt: 'TXT', csv: 'CSV' }),
      name: 'Type',
      isIn: ({ kind }, wanted) => kind === wanted,
    },
  },
  orders: {
    newest: { label: 'Newest first', compare: (a, b) => byMoment(a.addedAt, b.addedAt), isSteady: true },
    name: { label: 'Name', compare: byName, isSteady: true },
    size: { label: 'Largest first', compare: (a, b) => b.bytes - a.bytes || byName(a, b), isSteady: true },
  },
} as const satisfies ListDefinition<KnowledgeFile>

/** Returns how long a file is: “14 pages”; null if its pages are not counted. */
export function lengthOf({ pages, rows, lines }: KnowledgeFile): string | null {
  if (pages !== null) return formatCount(pages, 'page')
  if (rows !== null) return formatCount(rows, 'row')
  return lines === null ? null : formatCount(lines, 'line')
}
