import classes from './badges.module.css'

/** A `{{variable}}`, its braces kept. */
export function Variable({ name }: { readonly name: string }) {
  return (
    <code className={classes.variable}>
      <i>{'{{'}</i>
      {name}
      <i>{'}}'}</i>
    </code>
  )
}
