/** Takes the place of a figure that is not known: it is being read, or the service does not answer. */
export function Unknown() {
  return (
    <span className="t3" title="Not known yet">
      <span aria-hidden="true">–</span>
      <span className="sr">not known yet</span>
    </span>
  )
}
