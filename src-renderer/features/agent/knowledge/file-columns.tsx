import { Link } from '@tanstack/react-router'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import type { KnowledgeFile } from '#shared/model/platform/knowledge.ts'
import { formatBytes } from '../../../ui/format.ts'
import table from '../../../ui/list-table.module.css'
import type { ListColumn } from '../../../ui/list-table.tsx'
import { FileMenu } from './file-menu.tsx'
import classes from './knowledge.module.css'
import { fileList, lengthOf } from './select-files.ts'

type Cell = { readonly row: KnowledgeFile }

export const fileColumns: readonly ListColumn<KnowledgeFile>[] = [
  { head: 'Type', card: 'none', className: classes.typeColumn, cell: KindCell, skeleton: [46] },
  { head: 'Name', cell: NameCell, skeleton: [null] },
  {
    head: 'Size',
    card: 'half',
    width: 92,
    className: classes.sizeColumn,
    isNumber: true,
    cell: ({ row }) => <span className="t2">{formatBytes(row.bytes)}</span>,
    skeleton: [44],
  },
  { head: 'Status', card: 'half', className: classes.statusColumn, cell: StatusCell, skeleton: [120] },
  { head: 'More', isHeadHidden: true, card: 'side', width: 52, cell: MoreCell, skeleton: [20] },
]

function KindCell({ row: { kind } }: Cell) {
  return <span className={classes.kind}>{fileList.filters.status.labels[kind]}</span>
}

function NameCell({ row: { fileId, name } }: Cell) {
  return (
    <div className="col">
      <Link
        from="/agent/knowledge"
        to="."
        search={before => ({ ...before, file: fileId })}
        replace
        className={`${table.open} cut`}
        title={name.length > 40 ? name : undefined}
      >
        {name}
      </Link>
    </div>
  )
}

function StatusCell({ row }: Cell) {
  const [warning] = row.warnings
  if (warning !== undefined)
    return (
      <span className={`${classes.status} warn`} title={warning.message}>
        <TriangleAlert />
        <span className="cut">{warning.message}</span>
      </span>
    )
  return (
    <span className={classes.status}>
      <CircleCheck className="ok" />
      Ready
      <span className={`sm t2 num cut ${classes.length}`}>{lengthOf(row)}</span>
    </span>
  )
}

function MoreCell({ row }: Cell) {
  return (
    <div className={table.above} style={{ textAlign: 'right' }}>
      <FileMenu file={row} />
    </div>
  )
}
