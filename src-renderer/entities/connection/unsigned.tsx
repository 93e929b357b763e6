/** Says that nothing signs the events of a connection. That isn't a failure, so it is beside the status. */
export function Unsigned() {
  return (
    <span className="sm bad" title="Nothing signs its events: anyone who knows its URL can send them.">
      unsigned
    </span>
  )
}
