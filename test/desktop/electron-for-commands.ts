/**
 * Electron as a subcommand meets it: an exception that nobody catches is shown, a rejection warned of
 * (`--unhandled-rejections=warn`), and the process goes on after either. TROUBLE names what happens meanwhile.
 */
process.on('uncaughtException', () => {
  if (process.listenerCount('uncaughtException') === 1) process.stdout.write('A dialog.\n')
})
// The program that imports this gets its folder as the first argument.
Object.assign(process, { defaultApp: true })

export const app = { isPackaged: true, exit: (code: number) => process.exit(code) }

const { TROUBLE } = process.env
if (TROUBLE === 'exception')
  setTimeout(() => {
    throw new Error('of a callback')
  })
if (TROUBLE === 'rejection') setTimeout(() => void Promise.reject(new Error('of a promise')))
