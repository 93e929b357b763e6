/** Shows the text between backticks as code. */
export function CodedText({ text }: { readonly text: string }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a sentence are never reordered
  return text.split('`').map((piece, index) => (index % 2 === 1 ? <code key={index}>{piece}</code> : piece))
}
