import { Button, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Copy, RefreshCw, Trash2 } from 'lucide-react'
import { useId, useState } from 'react'
import { minuteMs } from '#shared/durations.ts'
import type { MetricsToken } from '#shared/model/metrics.ts'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { ServiceThresholds } from '../../entities/alert/service-thresholds.tsx'
import { useHasSeveralNodes } from '../../entities/node/use-nodes.ts'
import { confirmDialog } from '../../ui/confirm-dialog.tsx'
import { copyWithToast } from '../../ui/copy-with-toast.ts'
import { formatMinute, formatRelative } from '../../ui/format.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Note } from '../../ui/note.tsx'
import { Pill } from '../../ui/pill.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { FormRow, PageContent, Section } from '../../ui/section.tsx'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'
import { useDerivedNow } from '../../ui/use-now.ts'
import { WriteButton } from '../../ui/write-button.tsx'

/** Milliseconds between two looks for the last scrape, which nothing announces. */
const lookEveryMs = 15_000
/** A scraper comes at least every few minutes. */
const recentMs = 5 * minuteMs

const masked = 'ccm_••••••••••••'

/** The address of the metrics, the token that reads them, and when alerts of the service open. */
export function MonitoringSection() {
  const query = useQuery(api.metrics.token.queryOptions({ refetchInterval: lookEveryMs }))
  const isOneOfSeveral = useHasSeveralNodes()
  const ids = { address: useId() }
  const address = new URL('metrics', document.baseURI)
  return (
    <PageContent>
      <Section
        title="Metrics"
        intro="For Prometheus, on the dashboard’s port: counts and times, but no payloads and no names."
        action={query.data && <LastScrape at={query.data.lastScrapeAt} />}
      >
        <FormRow
          label="Scrape address"
          field={ids.address}
          help={
            isOneOfSeveral
              ? 'Scrape each node by its own address, not through the load balancer: each has its own counts.'
              : undefined
          }
        >
          <div className="row" style={{ flexWrap: 'wrap' }}>
            <TextInput
              id={ids.address}
              readOnly
              w={380}
              maw="100%"
              classNames={{ input: 'mono' }}
              value={address.href}
              rightSection={
                <IconButton
                  icon={Copy}
                  label="Copy the address"
                  size="xs"
                  onClick={() => void copyWithToast(address.href, 'Address')}
                />
              }
            />
            <Button
              variant="subtle"
              leftSection={<Copy />}
              onClick={() => void copyWithToast(scrapeConfig(address), 'Scrape configuration')}
            >
              Copy scrape config
            </Button>
          </div>
        </FormRow>
        {query.data === undefined ? (
          <QueryState query={query} failed="The token could not be read" />
        ) : (
          <TokenRow {...query.data} />
        )}
      </Section>
      <Section
        title="Alerts of workflows and this service"
        intro={
          <>
            Those of connections have their thresholds on the page{' '}
            <Link className="link" to="/alerts">
              Alerts
            </Link>
            . The{' '}
            <Link className="link" to="/settings/$section" params={{ section: 'webhook' }}>
              webhook
            </Link>{' '}
            and workflows of This service are told of them.
          </>
        }
      >
        <div style={{ maxWidth: 560 }}>
          <ServiceThresholds />
        </div>
      </Section>
    </PageContent>
  )
}

function LastScrape({ at }: { readonly at: string | null }) {
  const relative = useDerivedNow(now => at && formatRelative(at, now))
  const isRecent = useDerivedNow(now => at !== null && now - Date.parse(at) < recentMs)
  if (relative === null) return <Pill tone="mute">Not scraped since the start</Pill>
  const text = relative === 'Just now' ? 'just now' : relative
  return <Pill tone={isRecent ? 'ok' : 'mute'}>Scraped {text}</Pill>
}

function TokenRow({ source, setAt }: Pick<MetricsToken, 'source' | 'setAt'>) {
  const id = useId()
  const [created, setCreated] = useState<string | null>(null)
  const changed = () => queries.invalidateQueries({ queryKey: api.metrics.key() })
  const create = useMutation({
    mutationFn: () => client.metrics.createToken(),
    // The result contains the token, so it must not stay in the cache.
    gcTime: 0,
    async onSuccess({ token }) {
      setCreated(token)
      await changed()
    },
    onError: error => toastProblem('The token was not created', error),
  })
  const remove = useMutation({
    mutationFn: () => client.metrics.removeToken(),
    async onSuccess() {
      setCreated(null)
      await changed()
      toastDone('Token revoked', 'Only the admin token reads the metrics now.')
    },
    onError: error => toastProblem('The token was not revoked', error),
  })
  const confirmReplacing = () =>
    confirmDialog({
      title: 'Replace the metrics token?',
      children: 'Scrapers with the present token are refused at once, until they have the new one.',
      confirm: 'Replace token',
      onConfirm: () => create.mutate(),
    })
  const confirmRevoking = () =>
    confirmDialog({
      title: 'Revoke the metrics token?',
      children: 'Scrapers with this token are refused at once.',
      confirm: 'Revoke token',
      onConfirm: () => remove.mutate(),
    })

  if (source === 'start')
    return (
      <FormRow label="Token">
        <Note>
          The token was given when the service was started, with <code>--metrics-token</code> or{' '}
          <code>CUSTOM_CONNECTION_METRICS_TOKEN</code>. Change it there.
        </Note>
      </FormRow>
    )
  return (
    <FormRow
      label="Token"
      {...(source !== null && { field: id })}
      help={
        setAt === null
          ? 'Without one, only the admin token reads the metrics.'
          : `Reads the metrics and nothing else. Set ${formatMinute(setAt)}.`
      }
    >
      {source === null ? (
        <div>
          <WriteButton loading={create.isPending} onClick={() => create.mutate()}>
            Create token
          </WriteButton>
        </div>
      ) : (
        <TextInput
          id={id}
          readOnly
          w={created === null ? 380 : 520}
          maw="100%"
          classNames={{ input: 'mono' }}
          value={created ?? masked}
          rightSectionWidth={created === null ? 64 : 92}
          rightSection={
            <span className="row" style={{ gap: 2 }}>
              {created !== null && (
                <IconButton
                  icon={Copy}
                  label="Copy the token"
                  size="xs"
                  onClick={() => void copyWithToast(created, 'Token', 'It is a credential.')}
                />
              )}
              <IconButton icon={RefreshCw} label="Replace the token" size="xs" onClick={confirmReplacing} />
              <IconButton icon={Trash2} label="Revoke the token" size="xs" onClick={confirmRevoking} />
            </span>
          }
        />
      )}
      {source !== null && created !== null && (
        <div aria-live="polite">
          <Note>
            This token is shown only once, and the service keeps no copy. Put it in the file that{' '}
            <code>credentials_file</code> of the scrape config names.
          </Note>
        </div>
      )}
    </FormRow>
  )
}

/** Returns a scrape configuration of Prometheus for an address. The token is in a file of its own. */
function scrapeConfig({ host, protocol, pathname }: URL): string {
  return `scrape_configs:
  - job_name: custom-connection
    scheme: ${protocol.replace(':', '')}
    metrics_path: ${pathname}
    authorization:
      credentials_file: /etc/prometheus/custom-connection-token
    static_configs:
      - targets: ['${host}']
`
}
