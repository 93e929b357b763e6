import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { cliEntry } from '../support/cli-entry.ts'
import { temporaryFolder } from '../support/cli-service.ts'
import { blocksOf } from '../support/document-blocks.ts'
import { freePort } from '../support/free-port.ts'
import { missingOf, titled } from '../support/has-program.ts'

/** The fields that the runners need. GitHub's and GitLab's own validators know many more. */
const GitHub = z.strictObject({
  name: z.string(),
  on: z.tuple([z.literal('push')]),
  permissions: z.object({ checks: z.literal('write') }),
  jobs: z.strictObject({
    cases: z.object({
      'runs-on': z.string(),
      'timeout-minutes': z.int(),
      container: z.strictObject({ image: z.string(), options: z.literal('--user root') }),
      steps: z.tuple([
        z.strictObject({ uses: z.string() }),
        z.strictObject({ name: z.string(), run: z.string() }),
        z.strictObject({
          ...{ name: z.string(), if: z.literal('always()'), uses: z.string() },
          with: z.strictObject({ report_paths: z.string() }),
        }),
      ]),
    }),
  }),
})
const GitLab = z.strictObject({
  cases: z.strictObject({
    timeout: z.string(),
    image: z.strictObject({ name: z.string(), entrypoint: z.tuple([z.literal('')]) }),
    script: z.tuple([z.string()]),
    artifacts: z.strictObject({
      when: z.literal('always'),
      reports: z.strictObject({ junit: z.string() }),
    }),
  }),
})

function pipelines() {
  const [github, gitlab, ...others] = blocksOf('docs/recipes.md').filter(({ kind }) => kind === 'yaml')
  expect(others).toEqual([])
  const [, run, publish] = GitHub.parse(parse(github?.script ?? '')).jobs.cases.steps
  const { script, artifacts } = GitLab.parse(parse(gitlab?.script ?? '')).cases
  return {
    github: { script: run.run, report: publish.with.report_paths },
    gitlab: { script: script[0], report: artifacts.reports.junit },
  }
}

test('the pipelines of docs/recipes.md are YAML of their kinds, and run the same commands', () => {
  const { github, gitlab } = pipelines()
  expect(gitlab).toEqual(github)
})

const missing = missingOf('sh', 'grep')

test.skipIf(missing.length > 0)(
  titled('the commands of the pipelines pass, and write the report that is published', missing),
  async () => {
    const { script, report } = pipelines().github
    const folder = temporaryFolder()
    const port = await freePort()
    const [receiver] = blocksOf('docs/receiver.md').filter(({ kind }) => kind === 'js')
    writeFileSync(join(folder, 'server.mjs'), receiver?.script ?? '')
    writeFileSync(join(folder, 'shop.json'), JSON.stringify({ actions: [refund] }))
    const program = `#!/bin/sh\nexec '${process.execPath}' '${cliEntry}' "$@"\n`
    writeFileSync(join(folder, 'custom-connection'), program, { mode: 0o755 })
    const job = spawn('sh', ['-e', '-c', script.replaceAll(':8080', `:${port}`)], {
      cwd: folder,
      // A group of its own, which has the background processes of the script.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        ...{ PATH: `${folder}${delimiter}${process.env.PATH}`, PORT: String(port) },
        CUSTOM_CONNECTION_DATA: join(temporaryFolder(), 'data'),
      },
    })
    let output = ''
    for (const stream of [job.stdout, job.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    const closed = once(job, 'close')
    const [status] = await once(job, 'exit')
    process.kill(-(job.pid ?? Number.NaN), 'SIGTERM')
    await closed
    expect(status, output).toBe(0)
    expect(output).toMatch(/^passed {6}refund {2}A refund {2}200 {2}[\d.]+ ms\n\n1 case: 1 passed\.$/m)
    expect(readFileSync(join(folder, report), 'utf8')).toContain('tests="1" failures="0" errors="0"')
  },
)

/** The receiver answers only what is signed with its secret. */
const refund = {
  ...{ name: 'Refund', description: 'When asked.', method: 'POST', path: '/refunds' },
  cases: [
    {
      name: 'A refund',
      expect: { status: 200, fields: [{ path: 'ok', rule: 'equals', value: true }] },
    },
  ],
}
