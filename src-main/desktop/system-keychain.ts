import type { Keychain } from '#main/storage/storage.ts'
import type { SafeStoragePart } from './electron-parts.ts'

/** What Chromium puts before a text that it has encrypted with a password known to everybody. */
const unprotectedPrefix = 'v10'

/** The keychain cannot protect anything; the message says why, and what to do. */
export class KeychainUnavailable extends Error {
  override readonly name = 'KeychainUnavailable'
}

/**
 * The system's keychain as the data key needs it: Keychain on macOS, DPAPI on Windows, a keyring on Linux.
 * Without a keyring Chromium would encrypt with a fixed password; such protection is refused, not pretended.
 * `isAsyncEncryptionAvailable` does not tell: it says true in any case, once the keychain was asked.
 *
 * @param isWanted whether the user wants the key to be wrapped.
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
  return 'No keyring answers here, such as GNOME Keyring, KWallet or KeePassXC. Install and unlock one, then start the app again.'
}
