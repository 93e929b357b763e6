import { Skeleton } from '@mantine/core'
import { type Ref, useImperativeHandle, useRef } from 'react'
import table from '../../ui/list-table.module.css'
import type { WorkflowRow } from './use-workflows.ts'
import classes from './workflow-table.module.css'
import { WorkflowTableRow } from './workflow-table-row.tsx'

export type WorkflowTableHandle = {
  /** Focuses the selected row, or the first one. */
  focus(): void
  focusRow(workflowId: string): void
  /** Returns whether a row has the focus. */
  hasFocus(): boolean
}

/** A table of workflows. */
export function WorkflowTable(props: {
  readonly rows: readonly WorkflowRow[]
  readonly selectedId: string | null
  readonly onSelect: (workflowId: string) => void
  readonly ref: Ref<WorkflowTableHandle>
}) {
  const { rows, selectedId, onSelect, ref } = props
  const own = useRef<HTMLTableElement>(null)
  useImperativeHandle(ref, () => {
    const focusRow = (workflowId: string | undefined) =>
      own.current?.querySelector<HTMLElement>(`[data-workflow="${workflowId}"] a`)?.focus()
    return {
      focus: () => focusRow(selectedId ?? rows[0]?.workflowId),
      focusRow,
      hasFocus: () => own.current?.contains(document.activeElement) === true,
    }
  })
  return (
    <table ref={own} className={table.table} aria-label="Workflows">
      <WorkflowTableHead />
      <tbody>
        {rows.map(row => (
          <WorkflowTableRow
            key={row.workflowId}
            row={row}
            isSelected={row.workflowId === selectedId}
            onSelect={onSelect}
          />
        ))}
      </tbody>
    </table>
  )
}

/** The header of the table and of its skeleton. */
function WorkflowTableHead() {
  return (
    <>
      <colgroup>
        <col />
        <col className={classes.trigger} />
        <col className={classes.status} />
        <col className={classes.day} />
        <col className={classes.last} />
        <col className={classes.p95} />
        <col className={classes.controls} />
      </colgroup>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col" className={classes.trigger}>
            Starts on
          </th>
          <th scope="col">Status</th>
          <th scope="col" className={classes.day}>
            Last 24 hours
          </th>
          <th scope="col" className={classes.last}>
            Last run
          </th>
          <th
            scope="col"
            className={`${classes.p95} ${table.number}`}
            title="95 of 100 successful runs take no longer"
          >
            p95
          </th>
          <th scope="col">
            <span className="sr">Enabled</span>
          </th>
        </tr>
      </thead>
    </>
  )
}

const skeletonWidths = [168, 132, 150, 118]

/** Stands for the table until the workflows are known. */
export function WorkflowTableSkeleton() {
  return (
    <div role="status" aria-label="Loading workflows">
      <table className={table.table} aria-hidden="true">
        <WorkflowTableHead />
        <tbody>
          {skeletonWidths.map(width => (
            <tr key={width}>
              <td>
                <Skeleton height={10} width={width} />
                <Skeleton height={8} width={44} mt={8} />
              </td>
              <td className={classes.trigger}>
                <Skeleton height={10} width={84} />
                <Skeleton height={8} width={104} mt={8} />
              </td>
              <td>
                <Skeleton height={10} width={92} />
              </td>
              <td className={classes.day}>
                <Skeleton height={10} width={158} />
              </td>
              <td className={classes.last}>
                <Skeleton height={10} width={64} />
                <Skeleton height={8} width={56} mt={8} />
              </td>
              <td className={classes.p95} />
              <td>
                <Skeleton height={10} width={28} ml="auto" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
