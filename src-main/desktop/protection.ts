import { messageOf } from '#main/lib/file-system.ts'
import { readKeyFile } from '#main/storage/local/key-file.ts'
import type { Keychain } from '#main/storage/local/keychain.ts'
import type { DesktopInfo } from '#shared/model/desktop.ts'

/**
 * Whether the keychain protects the data key, and if not, why. Asks the keychain itself.
 *
 * @param keyIsGiven whether the key was given as CUSTOM_CONNECTION_KEY: then no file and no keychain hold it.
 */
export async function describeProtection(
  keyFile: string,
  keyIsGiven: boolean,
  keychain: Keychain,
): Promise<DesktopInfo['keychain']> {
  if (keyIsGiven)
    return off('The key comes from the environment variable CUSTOM_CONNECTION_KEY; the keychain is not used.')
  const file = await readKeyFile(keyFile)
  if (file?.isWrapped === true) return { protects: true, warning: null }
  const consequence = `Whoever can read ${keyFile} can read the stored secrets.`
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
