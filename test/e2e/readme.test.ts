import { execFile } from 'node:child_process'
import { readdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { languageSnippets } from '#renderer/entities/snippet/languages.ts'
import { serve, stop, temporaryFolder } from '../support/cli-service.ts'
import { blocksOf } from '../support/document-blocks.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { missingOf } from '../support/has-program.ts'
import { testMs } from '../support/patience.ts'

const root = resolve(import.meta.dirname, '../..')
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs')).map(name => join('docs', name)),
].filter(name => name.endsWith('.md'))

describe('every block of commands', () => {
  test.each(pages)('in %s is run by a test, or says why not', page => {
    const reasons = [
      'needs root',
      'needs Docker',
      'needs a cluster',
      'needs a certificate in /etc',
      'it installs this checkout',
      'it runs the tests',
      'needs an assistant',
      'it keeps running',
      'needs the receiver',
      // By cli/import.test.ts.
      'needs an update that changed something',
      // By cli/activity.test.ts.
      'needs what was received',
      // By cli/database.test.ts.
      'needs a database',
    ]
    const ofPage: Record<string, string> = {
      // Run by storage/postgres/database-page.test.ts.
      'docs/database.md': 'sql',
      // Run by e2e/pipelines.test.ts.
      'docs/recipes.md': 'yaml',
    }
    const kinds = ['sh', 'js', 'json', 'ini', 'text', ofPage[page]]
    for (const { kind, untested, script } of blocksOf(page)) {
      expect(kinds, script).toContain(kind)
      if (untested === undefined) continue
      expect(reasons, script).toContain(untested)
      if (untested === 'needs root') expect(script).toContain('sudo ')
      if (untested === 'needs an assistant') expect(script).toMatch(/claude |inspector /)
      if (untested === 'needs a cluster') expect(script).toMatch(/^kubectl /)
      if (untested === 'needs Docker') expect(script).toContain('docker ')
    }
  })
})

test('docs/receiver.md has the receiver of the dashboard, which its own tests run', () => {
  const [receiver, ...others] = blocksOf('docs/receiver.md').filter(({ kind }) => kind === 'js')
  expect(receiver?.script).toBe(`${languageSnippets.node.verify.render()}\n`)
  expect(others).toEqual([])
})

const missing = missingOf('bash', 'curl', 'openssl')
if (missing.length > 0) console.warn(`The commands are not tried: no ${missing.join(', ')} here.`)

describe.skipIf(missing.length > 0)('the commands', () => {
  const scripts = pages.map(page => ({
    page,
    script: blocksOf(page)
      .filter(({ kind, untested }) => kind === 'sh' && untested === undefined)
      .map(({ script }) => script)
      .join(''),
  }))

  test.each(scripts.filter(({ script }) => script !== ''))(
    'of $page work as they are written, from top to bottom',
    async ({ page, script }) => {
      const service = await serve(temporaryFolder())
      const twilio = await startExternalSystem((_request, response) => void response.end('{"sid":"SM1"}'))
      const { stdout } = await run(
        script
          .replaceAll('https://api.twilio.com', twilio.url)
          .replaceAll('~/.local/share/custom-connection', service.data)
          .replaceAll('http://127.0.0.1:8788', service.dashboardUrl),
        service.data,
      )
      await stop(service)
      if (page === 'docs/recipes.md') {
        expect(stdout.match(/\{"ok":true\}/g)).toHaveLength(3)
        expect(stdout).toContain('"sid":"SM1"')
        expect(twilio.requests).toMatchObject([
          {
            method: 'POST',
            url: '/2010-04-01/Accounts/AC00000000000000000000000000000000/Messages.json',
            body: 'To=%2B15005550009&From=%2B15005550006&Body=Order%20ORD-20418%20is%20on%20its%20way.',
            headers: {
              'content-type': 'application/x-www-form-urlencoded',
              authorization: `Basic ${btoa('AC00000000000000000000000000000000:the auth token')}`,
            },
          },
        ])
      }
      if (page !== 'README.md') return
      expect(stdout.match(/\{"ok":true\}/g)?.length).toBeGreaterThanOrEqual(2)
      for (const id of [42, 43])
        expect(stdout).toMatch(
          new RegExp(`Z {2}order\\.created {2}evt_\\S+ {2}undeclared {2}\\{"id":${id}\\}$`, 'm'),
        )
      expect(stdout).not.toContain('invalid_signature')
      expect(stdout).toMatch(/^look_up_order +on +GET +\/orders\/lookup /m)
      expect(stdout).toContain('Created 2 actions:\n  find_order\n  get_invoice\n')
      expect(stdout.match(/^200 in /gm)?.length).toBe(4)
      expect(stdout).toMatch(/^tell {2}notify .*"message":"ORD-20418 is paid"/m)
      expect(stdout).toMatch(/ [a-z]+ +Tell the status of paid orders +order\.paid +ORD-20402 /)
    },
  )
})

/**
 * Runs a script in a fresh folder that holds what a checkout does. Fails if the script leaves files there or in the
 * folder for temporary files. A failure says where it was.
 */
async function run(script: string, data: string) {
  const [folder, temporary] = [temporaryFolder(), temporaryFolder()]
  const names = readdirSync(root).filter(name => name !== '.git' && name !== 'out')
  for (const name of names) symlinkSync(join(root, name), join(folder, name))
  const ran = await promisify(execFile)('bash', ['-euxo', 'pipefail', '-c', script], {
    cwd: folder,
    timeout: testMs,
    env: { ...process.env, CUSTOM_CONNECTION_DATA: data, TMPDIR: temporary },
  })
  expect(readdirSync(folder).sort()).toEqual(names.sort())
  expect(readdirSync(temporary)).toEqual([])
  return ran
}
