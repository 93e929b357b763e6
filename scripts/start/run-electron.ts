import { spawn } from 'node:child_process'

export type RunOptions = {
  readonly binary: string
  /** The folder of the app, whose package.json names the entry. */
  readonly root: string
  readonly v8Flags: readonly string[]
  /** The app's own options. */
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

/** How the app ended: its exit status, or the reason why it never became ready. */
export type Ended = { readonly status: number } | { readonly neverReady: string }

/** Opens the desktop app and waits for its end. The app sends a message once it is ready. */
export function runElectron({ binary, root, v8Flags, args, env }: RunOptions): Promise<Ended> {
  // Editors based on Electron set this variable, which would start plain Node.
  const { ELECTRON_RUN_AS_NODE: _runAsNode, ...ownEnv } = env
  const flags = v8Flags.length === 0 ? [] : [`--js-flags=${v8Flags.join(' ')}`]
  const child = spawn(binary, [...flags, root, ...args], {
    env: ownEnv,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  const pass = (signal: NodeJS.Signals) => void child.kill(signal)
  process.on('SIGTERM', pass)
  process.on('SIGINT', pass)
  return new Promise(resolve => {
    let isReady = false
    child.once('message', () => {
      isReady = true
      if (child.connected) child.disconnect()
    })
    const end = (ended: Ended) => {
      process.off('SIGTERM', pass)
      process.off('SIGINT', pass)
      resolve(ended)
    }
    child.once('error', error => end({ neverReady: error.message }))
    child.once('exit', (code, signal) => {
      if (isReady || code === 0) end({ status: code ?? 1 })
      else end({ neverReady: signal === null ? `status ${code}` : signal })
    })
  })
}
