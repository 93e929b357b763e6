import type { ConnectionSummary } from '#shared/model/connection.ts'
import { MoreMenu } from '../../ui/more-menu.tsx'
import { useConnectionEntries } from './use-connection-entries.ts'

/** The menu of a connection. The palette has its entries for every connection, so that they are none of the screen's. */
export function ConnectionMenu(props: {
  readonly connection: Pick<ConnectionSummary, 'connectionId' | 'name'>
  readonly size?: 'xs' | 'sm'
}) {
  const { connection, size } = props
  const entriesOf = useConnectionEntries()
  return <MoreMenu name={connection.name} size={size} width={264} entries={entriesOf(connection)} isInRow />
}
