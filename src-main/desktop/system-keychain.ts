import type { Keychain } from '#main/storage/storage.ts'
import type { SafeStoragePart } from './electron-parts.ts'

/** Chromium's prefix of a text that it encrypted with a publicly known password. */
const unprotectedPrefix = 'v10'

/** The keychain is unusable. The message says why, and what to do. */
class KeychainUnavailable extends Error {
  override readonly name = 'KeychainUnavailable'
}

/**
 * Creates the keychain for the data key: Keychain on macOS, DPAPI on Windows, a keyring on Linux. Without a keyring,
 * Chromium would encrypt with a fixed password, which protects nothing, so this refuses it. `isAsyncEncryptionAvailable`
 * does not help: after the first use of the keychain it is always true.
 *
 * @param isWanted returns whether the user wants to wrap the key.
 */
export function createKeychain(
  storage: SafeStoragePart,
  platform: NodeJS.Platform,
  isWanted: () => boolean,
): Keychain {
  return {
    get wraps() {
      return isWanted()
    },
    async wrap(text) {
      const wrapped = await storage.encryptStringAsync(text).catch(cause => {
        throw new KeychainUnavailable(missing(platform), { cause })
      })
      if (
        platform === 'linux' &&
        wrapped.toString('latin1', 0, unprotectedPrefix.length) === unprotectedPrefix
      )
        throw new KeychainUnavailable(missing(platform))
      return wrapped.toString('base64')
    },
    async unwrap(wrapped) {
      const { result, shouldReEncrypt } = await storage.decryptStringAsync(Buffer.from(wrapped, 'base64'))
      return { text: result, renew: shouldReEncrypt }
    },
  }
}

function missing(platform: NodeJS.Platform): string {
  if (platform !== 'linux')
    return 'The system’s keychain is not available. Unlock it and start the app again.'
  return 'No keyring is available. Install and unlock one, such as GNOME Keyring, KWallet or KeePassXC, then start the app again.'
}
