import classes from './detail.module.css'

/** Header fields in their order, names as they were sent. */
export function HeaderTable(props: {
  readonly headers: readonly (readonly [string, string])[]
  readonly label: string
}) {
  return (
    <table className={classes.headers} aria-label={props.label}>
      <tbody>
        {props.headers.map(([name, value], index) => (
          // A field may come twice.
          // biome-ignore lint/suspicious/noArrayIndexKey: header fields are never reordered
          <tr key={index}>
            <th scope="row">{name.toLowerCase()}</th>
            <td>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
