import { SegmentedControl } from '@mantine/core'
import { skipToken, useQuery } from '@tanstack/react-query'
import { ToolListing } from '#shared/model/tool.ts'
import { api } from '../../client/client.ts'
import { useWorkspace } from '../workspace/current-workspace.tsx'
import { listingExplanation, listingSuggestion, type ToolTotals } from './listing-labels.ts'
import classes from './tool-listing-choice.module.css'

/** Returns how many tools the workspace has, or a connection, and their tokens; undefined until they are known. */
function useToolTotals(connectionId: string | null): ToolTotals | undefined {
  const { workspace } = useWorkspace()
  const input = {
    ...{ workspaceId: workspace?.workspaceId, connectionId: connectionId ?? undefined },
    limit: 1,
  }
  return useQuery(api.assistant.tools.queryOptions({ input: workspace === null ? skipToken : input })).data
}

/** Chooses whether a model gets all tools, or finds them when it needs them, and says what that means. */
export function ToolListingChoice(props: {
  /** Whose tools they are. */
  readonly label: string
  readonly listing: ToolListing
  /** Only the tools of this connection. */
  readonly connectionId: string | null
  readonly isDisabled?: boolean
  readonly onChange: (listing: ToolListing) => void
}) {
  const { label, listing, connectionId, isDisabled = false, onChange } = props
  const totals = useToolTotals(connectionId)
  const suggestion = listing === 'all' && totals !== undefined ? listingSuggestion(totals) : null
  return (
    <div className={classes.choice}>
      <SegmentedControl
        aria-label={label}
        fullWidth
        value={listing}
        disabled={isDisabled}
        onChange={value => onChange(ToolListing.parse(value))}
        data={[
          { value: 'all', label: 'All tools' },
          { value: 'on demand', label: 'Find tools when needed' },
        ]}
      />
      <p className="sm t3">{listingExplanation(listing, totals)}</p>
      {suggestion !== null && (
        <p className="sm warn" role="status">
          {suggestion}
        </p>
      )}
    </div>
  )
}
