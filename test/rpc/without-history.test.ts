import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { alertIdOf } from '#main/alerts/alert-doc.ts'
import { HourList } from '#shared/model/hour-statistics.ts'
import { bearer, http } from '../http/http.ts'
import { readMetrics, valueIn } from '../support/metrics-page.ts'
import { createConnection } from '../support/rest-client.ts'
import { postInbound, startService } from '../support/service-fixture.ts'

test('without its history a service counts in memory, and does not say that no alert is open', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'cc-service-'))
  onTestFinished(() => rm(dataFolder, { recursive: true, force: true }))
  await mkdir(join(dataFolder, 'history.sqlite', 'not-a-file'), { recursive: true })
  const { rest, clock, dashboardUrl } = await startService({ service: { dataFolder } })
  const { connectionId, credentials } = await createConnection(rest)
  expect((await postInbound(credentials, '{"event":"a"}', clock.now)).status).toBe(200)

  const { hours } = HourList.parse((await rest('GET', '/statistics/hours')).body)
  expect(hours.map(({ accepted }) => accepted)).toEqual([1])
  for (const path of ['/alerts', `/alerts/${alertIdOf(1)}`])
    expect(await rest('GET', path), path).toMatchObject({
      status: 503,
      body: { code: 'storage_unavailable' },
    })

  const { status, text } = await http(dashboardUrl, { path: '/metrics', headers: bearer })
  expect(status).toBe(200)
  const read = readMetrics(text, 'text')
  const of = { connection_id: connectionId, outcome: 'accepted' }
  expect(valueIn(read, 'custom_connection_events_total', of)).toBe(1)
  expect(read.get('custom_connection_alerts_open')?.samples).toEqual([])
})
