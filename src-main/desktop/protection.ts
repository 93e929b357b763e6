import { messageOf } from '#main/lib/file-system.ts'
import type { Keychain } from '#main/storage/keychain.ts'
import type { Storage } from '#main/storage/storage.ts'
import type { DesktopInfo } from '#shared/model/desktop.ts'

/** Returns whether the keychain protects the data key, and if not, why. Asks the keychain itself. */
export async function describeProtection(
  { keptIn, location }: Storage['dataKey'],
  keychain: Keychain,
): Promise<DesktopInfo['keychain']> {
  if (keptIn() === 'environment')
    return off('The key comes from the environment variable CUSTOM_CONNECTION_KEY; the keychain is not used.')
  if (keptIn() === 'keychain') return { protects: true, warning: null }
  const consequence = `Whoever can read ${location} can read the stored secrets.`
  if (!keychain.wraps) return off(`Switched off. ${consequence}`)
  try {
    // An empty text would be left as it is, without asking the keychain.
    await keychain.wrap('-')
    return off(`Protected from the next start on. Until then: ${consequence}`)
  } catch (error) {
    return off(`${messageOf(error)} Until then: ${consequence}`)
  }
}

const off = (warning: string) => ({ protects: false, warning })
