import { z } from 'zod'
import { errnoOf } from '#main/lib/file-system.ts'
import { jsonFile, type StoredDocument } from '#main/storage/document.ts'
import { DesktopPreferences, desktopDefaults } from '#shared/model/desktop.ts'

const WindowState = z.object({
  bounds: z.object({ x: z.int(), y: z.int(), width: z.int().positive(), height: z.int().positive() }),
  isMaximized: z.boolean(),
})
/** Position and size of the window, in points. For a maximized window, `bounds` are those that it returns to. */
export type WindowState = z.infer<typeof WindowState>

const Content = z.object({
  // A missing preference gets its default.
  preferences: z
    .record(z.string(), z.unknown())
    .catch({})
    .transform(kept => DesktopPreferences.catch(desktopDefaults).parse({ ...desktopDefaults, ...kept })),
  window: WindowState.nullable().catch(null),
})
type Content = z.infer<typeof Content>

export type DesktopFile = Awaited<ReturnType<typeof openDesktopFile>>

/** Opens the app's own file, beside the configuration. A damaged file, or a damaged part of it, counts as absent. */
export async function openDesktopFile(path: string) {
  const file = jsonFile(path)
  let content = await read(file)
  const set = (changes: Partial<Content>) => {
    content = { ...content, ...changes }
    return file.write(content)
  }
  return {
    preferences: () => content.preferences,
    window: () => content.window,
    /** Resolves when they are durable. @throws the file system's errors. */
    setPreferences: (preferences: DesktopPreferences) => set({ preferences }),
    setWindow: (window: WindowState) => set({ window }),
  }
}

async function read(file: StoredDocument): Promise<Content> {
  try {
    return Content.parse(await file.read())
  } catch (error) {
    const isDamaged = error instanceof SyntaxError || error instanceof z.ZodError
    if (!isDamaged && errnoOf(error) === null) throw error
    return { preferences: desktopDefaults, window: null }
  }
}
