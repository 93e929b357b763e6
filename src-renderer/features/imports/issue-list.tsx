import { Button } from '@mantine/core'
import { CircleX, TriangleAlert } from 'lucide-react'
import type { ImportIssue } from '#shared/model/import-preview.ts'
import { formatNumber } from '../../ui/format.ts'
import { Keys } from '../../ui/keys.tsx'
import classes from './import-dialog.module.css'
import { countIssues, countsInWords, headline } from './issues.ts'

/** What is to be said of the text, each with its place; pressing one goes there. */
export function IssueList(props: {
  readonly issues: readonly ImportIssue[]
  readonly selected: ImportIssue | null
  readonly onChoose: (issue: ImportIssue) => void
  readonly onNext: () => void
}) {
  const { issues, selected } = props
  return (
    <>
      <div className={classes.asideHead}>
        <h3 className="h3 num">{countsInWords(countIssues(issues))}</h3>
        <span className="push" />
        <Button variant="subtle" size="xs" rightSection={<Keys keys="f8" />} onClick={props.onNext}>
          Next
        </Button>
      </div>
      <ol className={classes.issues}>
        {issues.map(issue => (
          <li key={`${issue.line}:${issue.column} ${issue.path} ${issue.message}`}>
            <button
              type="button"
              className={classes.issue}
              aria-current={issue === selected || undefined}
              title={issue.message}
              onClick={() => props.onChoose(issue)}
            >
              {issue.severity === 'error' ? (
                <CircleX size={16} className="bad" role="img" aria-label="Error" />
              ) : (
                <TriangleAlert size={16} className="warn" role="img" aria-label="Warning" />
              )}
              <span className="col">
                <span>{headline(issue.message)}</span>
                {issue.path !== '' && <code className={classes.path}>{issue.path}</code>}
                <span className={`xs num ${classes.place}`}>
                  Line {formatNumber(issue.line)}, column {formatNumber(issue.column)}
                </span>
              </span>
            </button>
          </li>
        ))}
      </ol>
    </>
  )
}
