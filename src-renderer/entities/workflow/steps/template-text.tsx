import { variablesIn } from '#shared/workflows/templates.ts'
import { Variable } from '../../../ui/badges.tsx'

/** A text with its variables as chips. */
export function TemplateText({ text }: { readonly text: string }) {
  const pieces = []
  let from = 0
  for (const variable of variablesIn(text)) {
    pieces.push(text.slice(from, variable.from), <Variable key={variable.from} name={variable.path} />)
    from = variable.to
  }
  return (
    <>
      {pieces}
      {text.slice(from)}
    </>
  )
}
