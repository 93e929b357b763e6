import type { DataKeyPlace } from '#main/backup/manifest.ts'

/** What somebody who keeps a backup has to know of the key that opens its secrets. */
export function describeKey(place: DataKeyPlace): string {
  return sentences[place]
}

const sentences = {
  file: 'The key is in it, and with the key every secret: keep it as safe as the secrets themselves.',
  environment:
    'The key is not in it: it is given as CUSTOM_CONNECTION_KEY. Keep that apart; without it, the secrets in the backup cannot be opened.',
  keychain:
    "The key in it is wrapped by this user's keychain: the desktop app of the same user on the same computer can open it, nobody else. To restore it elsewhere, switch the protection off in the app's settings first and make another backup.",
} as const
