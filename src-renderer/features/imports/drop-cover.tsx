import { FileDown } from 'lucide-react'
import classes from './drop-cover.module.css'

/** Says, while a file is held over the window, what happens when it is let go. */
export function DropCover({ into }: { readonly into: string }) {
  return (
    <div className={classes.cover}>
      <div className={classes.target} role="status">
        <FileDown size={20} aria-hidden="true" />
        <p className="h2">Drop to import into {into}</p>
        <p className="sm t2">
          An import document, an OpenAPI document or a curl command, as one file of at most 10 MiB. You see
          what will be made before anything is.
        </p>
      </div>
    </div>
  )
}
