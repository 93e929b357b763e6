import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { serve, stop, temporaryFolder } from '../support/cli-service.ts'
import { missingOf } from '../support/has-program.ts'

const root = resolve(import.meta.dirname, '../..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')

/** The shell commands under a heading, as one script. */
function scriptUnder(heading: string): string {
  const section = readme.split(/^## /m).find(part => part.startsWith(heading)) ?? ''
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, script]) => script).join('')
}

const missing = missingOf('bash', 'curl', 'openssl')
if (missing.length > 0) console.warn(`The README's commands are not tried: no ${missing.join(', ')} here.`)

test.skipIf(missing.length > 0)(
  'its first signed event works as it is written',
  async () => {
    const service = await serve(temporaryFolder())
    const script = scriptUnder('A first signed event')
      .replace('~/.local/share/custom-connection', service.data)
      .replace('http://127.0.0.1:8788', service.dashboardUrl)
    expect(script).toContain(service.data)
    expect(script).toContain(service.dashboardUrl)
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: root,
      env: { ...process.env, CUSTOM_CONNECTION_DATA: service.data },
    })
    await stop(service)
    expect(stdout.match(/\{"ok":true\}/g)?.length).toBeGreaterThanOrEqual(2)
    expect(stdout).toMatch(/"eventName":"order\.created".*"dataText":"\{\\"id\\":43\}"/)
    expect(stdout).toContain('"dataText":"{\\"id\\":42}"')
    expect(stdout).toContain('{"attempts":[]}')
  },
  60_000,
)
