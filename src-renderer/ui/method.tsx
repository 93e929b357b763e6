import type { Method as HttpMethod } from '#shared/model/action.ts'
import classes from './badges.module.css'

/** An HTTP method in its colour. */
export function Method({ method }: { readonly method: HttpMethod }) {
  return (
    <span className={classes.method} data-method={method}>
      {method}
    </span>
  )
}
