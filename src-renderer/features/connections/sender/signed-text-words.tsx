import classes from './sender.module.css'

/** Shows a signed text with each placeholder marked. */
export function SignedTextWords({ text }: { readonly text: string }) {
  return text.split(/(\{\{[^{}]*\}\})/).map((piece, index) =>
    piece.startsWith('{{') ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a text are never reordered
      <code key={index} className={classes.placeholder}>
        {piece}
      </code>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a text are never reordered
      <code key={index}>{piece}</code>
    ),
  )
}
