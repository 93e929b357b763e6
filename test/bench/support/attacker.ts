/**
 * Attacks a service in a process of its own, or burns a share of a core without attacking; ends with its parent's
 * signal, and by itself after a minute. Reads one JSON object from its arguments; says when it has begun.
 */
import { z } from 'zod'
import { attacks } from './attacks.ts'

const Options = z.union([
  z.object({
    attack: z.string(),
    target: z.object({
      inboundUrl: z.string(),
      secret: z.string(),
      dashboardUrl: z.string(),
      adminToken: z.string(),
      connectionId: z.string(),
    }),
  }),
  /** The share of one core to burn, 0 to 1. */
  z.object({ burn: z.number() }),
])
const options = Options.parse(JSON.parse(process.argv[2] ?? ''))
setTimeout(() => process.exit(), 60_000)
process.on('SIGTERM', () => process.exit())

function burn(share: number): void {
  const periodMs = 20
  setInterval(() => {
    const until = performance.now() + periodMs * share
    while (performance.now() < until);
  }, periodMs)
}

if ('burn' in options) burn(Math.min(0.98, options.burn))
else await attacks[options.attack]?.run(options.target)
console.log(JSON.stringify({ ready: true }))
