import { existsSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Where the built dashboard lies: beside the bundle's own folder (`out/main`, `out/renderer`), or, where the
 * source runs as it stands, in `out/renderer` of the checkout.
 *
 * @param moduleFolder of the module that asks: `out/main`, or a folder of `src-main`.
 * @returns null where it has not been built.
 */
export function rendererFolder(moduleFolder: string): string | null {
  const places = [join(moduleFolder, '..', 'renderer'), join(moduleFolder, '..', '..', 'out', 'renderer')]
  return places.find(place => existsSync(join(place, 'index.html'))) ?? null
}
