import { wireNameOf } from '#shared/model/parameter.ts'
import { placeholder, placeOf, type SendingAction, splitPath } from '#shared/request/write-request.ts'

type Piece = {
  readonly text: string
  /** `filled`: a placeholder with its parameter. `open`: one without. */
  readonly kind: 'text' | 'filled' | 'open'
  readonly name: string
}

/** Returns the texts and the placeholders of an action's path, in its order. */
export function pathPieces(action: SendingAction): readonly Piece[] {
  const { pathname, query } = splitPath(action.path)
  const filled = new Set(action.parameters.filter(one => placeOf(one, action) === 'path').map(wireNameOf))
  const pieces: Piece[] = []
  let end = 0
  const addText = (text: string) => text !== '' && pieces.push({ text, kind: 'text', name: '' })
  for (const match of pathname.matchAll(placeholder)) {
    const [text, name = ''] = match
    addText(pathname.slice(end, match.index))
    pieces.push({ text, kind: filled.has(name) ? 'filled' : 'open', name })
    end = match.index + text.length
  }
  addText(pathname.slice(end) + query)
  return pieces
}

/** Returns the placeholders that no parameter fills, each once. */
export function openPlaceholders(action: SendingAction): readonly string[] {
  return [...new Set(pathPieces(action).flatMap(({ kind, name }) => (kind === 'open' ? [name] : [])))]
}

/** Returns a parameter that fills a placeholder. Its own name has only characters that such names can have. */
export function parameterFor(wireName: string) {
  const name = wireName.replace(/[^A-Za-z0-9_\-.[\]]+/g, '_').slice(0, 64)
  return {
    ...({ name, type: 'string', description: '', required: true, in: 'path' } as const),
    ...(name !== wireName && { wireName }),
  }
}
