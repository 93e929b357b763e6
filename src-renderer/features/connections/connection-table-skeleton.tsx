import { Skeleton } from '@mantine/core'
import classes from './connection-table.module.css'
import { ConnectionTableHead } from './connection-table.tsx'

const rows = [168, 132, 150, 118, 142, 126]

/** The table before the connections are known. */
export function ConnectionTableSkeleton() {
  return (
    <div className={classes.scroller} role="status" aria-label="Loading connections">
      <table className={classes.table} aria-hidden="true">
        <ConnectionTableHead />
        <tbody>
          {rows.map(width => (
            <tr key={width}>
              <td>
                <Skeleton height={10} width={width} mb={8} />
                <Skeleton height={8} width={width + 24} />
              </td>
              <td>
                <Skeleton height={20} width={84} radius={10} />
              </td>
              <td>
                <Skeleton height={10} width={96} mb={8} />
                <Skeleton height={8} width={56} />
              </td>
              <td className={classes.day}>
                <Skeleton height={20} width={158} />
              </td>
              <td className={`${classes.actions} ${classes.number}`}>
                <Skeleton height={10} width={14} ml="auto" />
              </td>
              <td className={`${classes.events} ${classes.number}`}>
                <Skeleton height={10} width={14} ml="auto" />
              </td>
              <td>
                <div className={classes.switches}>
                  <Skeleton height={16} width={28} radius={8} mr={32} />
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
