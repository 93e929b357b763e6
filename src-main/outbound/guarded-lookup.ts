import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { checkAddress } from './address-guard.ts'

/**
 * A lookup for sockets that fails when any address of a name is one never to be called, so that a name
 * cannot hide one behind a good one. The socket connects to the addresses given here and asks nobody again:
 * what was checked is what is called.
 */
export function guardLookup(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found, family) => {
      if (error) return callback(error, [])
      const addresses: LookupAddress[] =
        typeof found === 'string' ? [{ address: found, family: family ?? 4 }] : found
      try {
        for (const { address } of addresses) checkAddress(hostname, address)
      } catch (blocked) {
        return callback(blocked instanceof Error ? blocked : new Error(String(blocked)), [])
      }
      const [first] = addresses
      if (first === undefined) return callback(noAddress(hostname), [])
      if (options.all === true) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}

function noAddress(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${hostname} has no address.`), { code: 'ENOTFOUND', hostname })
}
