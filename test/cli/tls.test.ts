import { X509Certificate } from 'node:crypto'
import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { runCliHere } from '../support/cli-here.ts'
import { jsonOf, runCli } from '../support/cli-process.ts'
import { createConnection, serve, temporaryFolder } from '../support/cli-service.ts'

const fixture = (name: string) => join(import.meta.dirname, 'fixtures', name)
const certificates = ['first', 'second'].map(name => readFileSync(fixture(`${name}.cert.pem`), 'utf8'))

describe('serve --tls-cert --tls-key', () => {
  it('uses the certificate on both listeners, and the one that replaces it', async () => {
    const { args, use } = certificateFolder()
    use('first')
    const service = await serve(temporaryFolder(), args)
    const urls = [service.listenerUrl, service.dashboardUrl]
    for (const url of urls) {
      expect(url).toMatch(/^https:/)
      expect(await subjectAt(url)).toBe('CN=custom-connection first test')
    }

    const plain = await fetch(service.dashboardUrl.replace('https:', 'http:')).catch(
      (error: unknown) => error,
    )
    expect(plain).toBeInstanceOf(Error)

    const { connectionId } = await createConnection(service, 'Shop')
    const send = ['send', 'one', '--connection', connectionId, '--data-folder', service.data, '--json']
    expect(jsonOf(await runCliHere(send))).toMatchObject({ status: 200 })

    use('second')
    for (const url of urls) while ((await subjectAt(url)) !== 'CN=custom-connection second test');
    expect(jsonOf(await runCliHere(send))).toMatchObject({ status: 200 })
    service.process.signal('SIGTERM')
    expect((await service.process.ended).code).toBe(0)
  })

  it('refuses a key that does not fit the certificate', async () => {
    const pair = ['--tls-cert', fixture('first.cert.pem'), '--tls-key', fixture('second.key.pem')]
    const result = await runCli(['serve', '--data', temporaryFolder(), '--json', ...pair])
    expect(result.code).toBe(1)
    expect(jsonOf(result)).toMatchObject({ code: 'invalid_certificate' })
  })
})

function certificateFolder() {
  const folder = temporaryFolder()
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  return {
    args: ['--tls-cert', cert, '--tls-key', key],
    use(name: 'first' | 'second') {
      copyFileSync(fixture(`${name}.cert.pem`), cert)
      copyFileSync(fixture(`${name}.key.pem`), key)
    },
  }
}

/** Whose certificate a server shows, which must be one of the fixtures'. */
function subjectAt(url: string): Promise<string> {
  const { port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(port), host: '127.0.0.1', ca: certificates }, () => {
      const certificate = new X509Certificate(socket.getPeerCertificate().raw)
      socket.destroy()
      resolve(certificate.subject)
    })
    socket.once('error', reject)
  })
}
