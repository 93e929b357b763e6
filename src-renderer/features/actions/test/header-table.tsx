import classes from './test.module.css'

/** Header fields in the order in which they came. */
export function HeaderTable({ headers }: { readonly headers: Readonly<Record<string, string>> }) {
  return (
    <dl className={classes.headers}>
      {Object.entries(headers).map(([name, value]) => (
        <div key={name} style={{ display: 'contents' }}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
