/**
 * Returns SQL that says whether what was decided by a version of the configuration may still have an effect.
 *
 * @param version in SQL: a parameter, or a column with its table, since `config_head` has one of that name.
 */
export const isUnfenced = (version: string) => `(SELECT fenced <= ${version} FROM config_head)`

/** Why something is refused that was decided by a version which a change has fenced off. */
export const fencedOff = 'The configuration has changed, and this service has not read the change yet.'
