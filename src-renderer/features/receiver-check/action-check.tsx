import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Braces, Info, Play, Share } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { Action } from '#shared/model/action.ts'
import { type Check, CheckId } from '#shared/model/receiver-check.ts'
import { reportFormats } from '#shared/receiver-check/report/formats.ts'
import { type Report, reportUrl } from '#shared/receiver-check/report/report.ts'
import { api } from '../../client/client.ts'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { copyWithToast } from '../../ui/copy-with-toast.ts'
import { useFocusList, useRowKeys } from '../../ui/keyboard-list.ts'
import { MasterDetail } from '../../ui/master-detail.tsx'
import { Body, Foot } from '../../ui/page.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { useNarrow } from '../../ui/use-narrow.ts'
import { WriteButton } from '../../ui/write-button.tsx'
import { CallForm } from './call-form.tsx'
import { CheckDetail } from './check-detail.tsx'
import { CheckList } from './check-list.tsx'
import classes from './receiver-check.module.css'
import { ReportDialog } from './report-dialog.tsx'
import { Summary } from './summary.tsx'
import { useCheckPlace } from './use-check-place.ts'
import { type Outcome, useReceiverCheck } from './use-receiver-check.ts'

const group = 'Receiver check'

/** Returns the choice of the action, with its label or without. */
export type Chooser = (isLabelled: boolean) => ReactNode

/** The check of one action: its form before the first time, then its outcome. */
export function ActionCheck({ action, chooser }: { readonly action: Action; readonly chooser: Chooser }) {
  const place = useCheckPlace()
  const { outcome, isPending, fire, cancel } = useReceiverCheck(action.actionId)
  const [isForm, setForm] = useState(outcome === null)
  if (outcome !== null && !isForm)
    return (
      <Result
        action={action}
        chooser={chooser}
        outcome={outcome}
        isPending={isPending}
        onFire={ids => void fire(outcome, ids).catch(() => {})}
        onCancel={cancel}
        onArguments={() => setForm(true)}
      />
    )
  const form = (
    <CallForm
      action={action}
      chooser={chooser(true)}
      before={outcome?.allowEffects ?? null}
      isPending={isPending}
      onFire={asked =>
        void fire(asked).then(
          check => {
            if (check === null) return
            place.open(null)
            setForm(false)
          },
          () => {},
        )
      }
    />
  )
  const intro = (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
    <section className={`scroll inner ${classes.pane}`} aria-label="Checks" tabIndex={0}>
      <div className={classes.intro}>
        <h2 className="h2">Prove your receiver</h2>
        <p className="t2">
          Fifteen calls, right and wrong ones, at one of your endpoints. You see which it lets through, and
          the lines to change.
        </p>
      </div>
      <CheckList checks={null} selected={null} onSelect={() => {}} />
    </section>
  )
  return (
    <>
      <Body scrolls={false}>
        <MasterDetail
          name="receiver-check"
          lead="call"
          home="call"
          panes={[
            { id: 'list', content: intro },
            { id: 'call', size: 424, min: 320, content: form },
          ]}
        />
      </Body>
      <Foot hints={{ 'mod+enter': 'fire all' }}>
        {isPending ? (
          <Button size="xs" variant="subtle" onClick={cancel}>
            Cancel
          </Button>
        ) : (
          '15 calls, 4 of them right'
        )}
      </Foot>
    </>
  )
}

function Result(props: {
  readonly action: Action
  readonly chooser: Chooser
  readonly outcome: Outcome
  readonly isPending: boolean
  readonly onFire: (ids?: CheckId[]) => void
  readonly onCancel: () => void
  readonly onArguments: () => void
}) {
  const { action, chooser, outcome, isPending, onFire, onCancel, onArguments } = props
  const { checks } = outcome.check
  const { baseUrl } = useCurrentConnection()
  const { data: service } = useQuery(api.service.get.queryOptions())
  const place = useCheckPlace()
  const isNarrow = useNarrow()
  const [isSharing, setSharing] = useState(false)
  const { listProps } = useFocusList<HTMLDivElement>('[data-check]', row => {
    const { data: id } = CheckId.safeParse(row.dataset.check)
    if (id !== undefined && !isNarrow) place.open(id)
  })
  const first = checks.find(({ verdict }) => verdict === 'failed' || verdict === 'look') ?? checks[0]
  const shown = checks.find(({ id }) => id === place.check) ?? (isNarrow ? undefined : first)
  const at = shown === undefined ? -1 : checks.indexOf(shown)

  const report: Report | null =
    service === undefined
      ? null
      : {
          ...{ actionName: action.name, method: action.method, url: reportUrl(baseUrl, action.path) },
          ...{ at: outcome.at, version: service.version, check: outcome.check },
        }
  const fireAll = () => !isPending && onFire()
  const fireThis = () => shown !== undefined && !isPending && onFire([shown.id])
  const copyReport = () =>
    report !== null && void copyWithToast(reportFormats.markdown.render(report), 'Report')
  function nextFailure(): void {
    const bad = checks.flatMap(({ verdict }, index) =>
      verdict === 'failed' || verdict === 'look' ? [index] : [],
    )
    goTo(checks[bad.find(index => index > at) ?? bad[0] ?? -1])
  }
  /** Opens a check, and moves the focus to its row where that is seen. */
  function goTo(check: Check | undefined): void {
    if (check === undefined) return
    place.open(check.id)
    document.querySelector<HTMLElement>(`[data-check="${check.id}"]`)?.focus()
  }
  useShortcut({ keys: 'mod+enter', label: 'Fire all', group }, fireAll)
  useShortcut({ keys: 'r', label: 'Fire this one', group }, fireThis)
  useShortcut({ keys: 'f8', label: 'Next failure', group }, nextFailure)
  useShortcut({ keys: 'mod+shift+c', label: 'Copy the report', group }, copyReport)
  useRowKeys({ group, noun: 'check', count: checks.length, at }, row => goTo(checks[row]))

  const listPane = (
    <div className={classes.pane}>
      <div className={classes.bar}>
        <div className={classes.chooser}>{chooser(false)}</div>
        <Button variant="subtle" leftSection={<Braces />} onClick={onArguments} disabled={isPending}>
          Arguments
        </Button>
        <span className="push" />
        <Button leftSection={<Share />} disabled={report === null} onClick={() => setSharing(true)}>
          Share report
        </Button>
        {isPending ? (
          <Button onClick={onCancel}>Cancel</Button>
        ) : (
          <WriteButton variant="filled" icon={Play} keys="mod+enter" onClick={fireAll}>
            Fire all
          </WriteButton>
        )}
      </div>
      <div className="scroll fill">
        <Summary outcome={outcome} action={action} />
        <CheckList checks={checks} selected={shown?.id ?? null} onSelect={place.open} listProps={listProps} />
        <p className={classes.remark}>
          <Info />
          Calls that are accepted reach your handler: use arguments that do no harm.
        </p>
      </div>
    </div>
  )
  return (
    <>
      <Body scrolls={false}>
        <MasterDetail
          name="receiver-check"
          lead={shown === undefined ? 'list' : 'detail'}
          home="list"
          back={{ label: 'Back to the checks', group, go: () => place.open(null) }}
          panes={[
            { id: 'list', content: listPane },
            {
              id: 'detail',
              size: 424,
              min: 320,
              content: shown && (
                <CheckDetail
                  key={shown.id}
                  check={shown}
                  checks={checks}
                  isPending={isPending}
                  onFire={fireThis}
                />
              ),
            },
          ]}
        />
      </Body>
      <Foot
        hints={{
          'mod+enter': 'fire all',
          r: 'fire this one',
          f8: 'next failure',
          'mod+shift+c': 'copy report',
        }}
      >
        A report holds no secret
      </Foot>
      {isSharing && report !== null && <ReportDialog report={report} onClose={() => setSharing(false)} />}
    </>
  )
}
