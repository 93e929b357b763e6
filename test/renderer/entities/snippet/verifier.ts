import { createServer } from 'node:http'
import { onTestFinished } from 'vitest'
import { listenOn } from '#main/lib/listen-on.ts'
import { languageSnippets } from '#renderer/entities/snippet/languages.ts'
import type { Language } from '#renderer/entities/snippet/snippet.ts'
import { finish, folderWith, start, stop } from './runtimes.ts'

/** Runs a language's verifier on a free port for this test. @returns its address. */
export async function startVerifier(language: Language, secret: string): Promise<string> {
  const { file, command, render } = languageSnippets[language].verify
  const folder = await folderWith(file, render())
  const env = { CC_SIGNING_SECRET: secret }
  if (language === 'curl') return serveScript(folder, env)

  // PHP takes its port from the command.
  const child = start({ folder, command: command.replace(':8080', ':0'), env: { ...env, PORT: '0' } })
  onTestFinished(() => stop(child))
  const port = await new Promise<string>((resolve, reject) => {
    let said = ''
    const listen = (text: Buffer) => {
      said += text
      const [, found] = /(?:port |127\.0\.0\.1:)([1-9][0-9]*)\b.*\n/.exec(said) ?? []
      if (found !== undefined) resolve(found)
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    child.once('exit', () => reject(new VerifierEnded(said)))
  })
  return `http://127.0.0.1:${port}`
}

/** The verifier ended instead of listening. */
export class VerifierEnded extends Error {}

/** A server that passes each call to the shell's verifier, which checks one call. */
async function serveScript(folder: string, env: Record<string, string>): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(Buffer.from(chunk))
    } catch {
      return // the caller has gone
    }
    const { 'x-service-timestamp': timestamp, 'x-service-signature': signature } = request.headers
    const child = start({
      folder,
      command: 'bash verify.sh',
      args: [`${timestamp ?? ''}`, `${signature ?? ''}`],
      env,
    })
    const { code, stdout } = await finish(child, Buffer.concat(chunks))
    response.writeHead(code === 0 ? 200 : 401, { 'Content-Type': 'application/json' }).end(stdout)
  })
  const { port } = await listenOn(server, '127.0.0.1', 0)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${port}`
}
