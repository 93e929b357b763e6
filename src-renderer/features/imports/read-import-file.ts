import { type Decoded, decodeImport, sizeRefusal } from './decode-import.ts'

/** Reads what was dropped, chosen or pasted: one file of text, checked before anything is sent anywhere. */
export async function readImportFile(file: File): Promise<Decoded> {
  const refused = sizeRefusal(file.name, file.size)
  if (refused !== null) return { refused }
  try {
    return decodeImport(file.name, new Uint8Array(await file.arrayBuffer()))
  } catch {
    return { refused: `${file.name} cannot be read. It may be a folder, or have been moved.` }
  }
}
